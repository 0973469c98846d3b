import { isRefusal } from './client.ts'

/** What the server found wrong with a field, to be said below it; `rest`: what no field of the form can say. */
export function problemsIn<Name extends string>(
  error: unknown,
  names: readonly Name[],
): { at: Partial<Record<Name, string>>; rest: unknown } {
  const field = isRefusal(error) ? names.find((name) => name === error.body.field) : undefined
  if (field === undefined || !isRefusal(error)) return { at: {}, rest: error }
  const { message, error: sentence, hint } = error.body
  const said = [message ?? sentence, ...(hint ? [hint] : [])].join(' ')
  return { at: { [field]: said } as Partial<Record<Name, string>>, rest: null }
}
