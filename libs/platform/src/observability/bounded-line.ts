/** The most characters of a log line; longer ones have shortened texts. */
export const LONGEST_LINE = 8_192;
const LONGEST_TEXT = 1_024;

const shortened = (value: unknown): unknown =>
  typeof value === 'string' && value.length > LONGEST_TEXT
    ? `${value.slice(0, LONGEST_TEXT)}… (${value.length} characters)`
    : value;

/** Returns a line of a JSON log with at most {@link LONGEST_LINE} characters and the line feed, as JSON that can still be parsed. */
export function boundedLine(line: string): string {
  if (line.length <= LONGEST_LINE) return line;
  const fields = JSON.parse(line, (_name, value: unknown) => shortened(value)) as Readonly<Record<string, unknown>>;
  const text = JSON.stringify(fields);
  if (text.length <= LONGEST_LINE) return `${text}\n`;
  const { level, time, service, msg } = fields;
  return `${JSON.stringify({ level, time, service, msg, cutFrom: line.length })}\n`;
}
