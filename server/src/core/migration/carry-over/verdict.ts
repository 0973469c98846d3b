/** Why a service cannot be adopted, or what it loses: a key as compose files have it, and a sentence. */
export type Told = { key: string; message: string }

/** Collects what is said about one service. `refuse` stands in the way of adopting it, `warn` does not. */
export type Tell = { refuse(key: string, message: string): void; warn(key: string, message: string): void }

export function verdict(): Tell & { reasons: Told[]; warnings: Told[] } {
  const reasons: Told[] = []
  const warnings: Told[] = []
  const add = (to: Told[]) => (key: string, message: string) => {
    if (!to.some((one) => one.key === key && one.message === message)) to.push({ key, message })
  }
  return { reasons, warnings, refuse: add(reasons), warn: add(warnings) }
}

const MOST_SHOWN = 120

/** What somebody else wrote, as part of a sentence: one line, and not a long one. */
export const shown = (text: string): string => {
  const line = text.replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Bidi_Control}]/gu, '�')
  return line.length > MOST_SHOWN ? `${line.slice(0, MOST_SHOWN)}…` : line
}
