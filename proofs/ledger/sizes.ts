/** What the environment changed, by the name of its variable. */
const asked: Record<string, string> = {}
const full: Record<string, number> = {}

/** A size of a proof. A variable of the environment changes it while one works on it: what is shown then is called partial. */
export function size(variable: string, wanted: number): number {
  const value = chosen(variable)
  full[variable] = wanted
  if (value !== undefined && Number(value) === wanted) delete asked[variable]
  return value === undefined ? wanted : Number(value)
}

/** A word of the environment that leaves parts of a proof out, or draws other samples. */
export function chosen(variable: string): string | undefined {
  const value = process.env[variable]
  if (value === undefined || value === '') return undefined
  asked[variable] = value
  return value
}

export const isFull = (): boolean => Object.keys(asked).length === 0

export const sizes = (): Record<string, number | string> => ({ ...full, ...asked })
