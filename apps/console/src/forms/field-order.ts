/** What a field says about itself is below it, so that the fields of a row are in line. */
export const fieldOrder: ('label' | 'input' | 'description' | 'error')[] = ['label', 'input', 'description', 'error'];
