/** A resource as the API shows it. */
export const ResourceText = ({ value }: { readonly value: unknown }) => (
  <pre className="panel resource-text" tabIndex={0}>
    {JSON.stringify(value, null, 2)}
  </pre>
);
