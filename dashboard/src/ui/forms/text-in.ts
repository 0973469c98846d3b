/** What was typed into a field, without what stands around it; undefined: nothing. */
export function textIn(form: FormData, name: string): string | undefined {
  const said = String(form.get(name) ?? '').trim()
  return said === '' ? undefined : said
}
