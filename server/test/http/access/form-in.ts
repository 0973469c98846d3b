type Fields = Record<string, string>

/** What a browser would send of the page's form with this button, and where. */
export function formIn(page: string, act: string): { action: string; fields: Fields } {
  const form = page.match(/<form[\s\S]*?<\/form>/g)?.find((one) => one.includes(`value="${act}"`)) ?? ''
  const action = /action="([^"]*)"/.exec(form)?.[1] ?? ''
  const hidden = [...form.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)].map(([, name, value]) => [
    name,
    value,
  ])
  const chosen = /<option value="([^"]*)" selected/.exec(form)?.[1]
  return { action, fields: { ...Object.fromEntries(hidden), ...(chosen && { organization: chosen }), act } }
}
