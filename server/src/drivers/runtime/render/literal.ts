/**
 * The engine reads variables, the host name and all of a mount as templates: it would fill in `{{.Node.ID}}` and refuse a
 * lone `{{`.
 */
export function literal(text: string): string {
  return text.replaceAll('{{', '{{"{{"}}')
}
