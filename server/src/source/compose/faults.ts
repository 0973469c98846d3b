import { Refusal } from '../../errors.ts'

/** Where something stands: the file, and the keys that lead there. */
export type Place = { file: string; path: readonly string[] }

/** Named instead of dropped: what the reader or the deployment does otherwise than the file says. */
export type Warning = { service: string | null; key: string; message: string }

export const at = (place: Place, ...keys: (string | number)[]): Place => ({
  file: place.file,
  path: [...place.path, ...keys.map(String)],
})

export const fault = (place: Place, what: string, hint: string) =>
  new Refusal('invalid_compose', `${shown(place)}: ${what}.`, { hint, field: place.path.join('.') || place.file })

export const leaves = (place: Place, path: string, how: string) =>
  new Refusal('invalid_path', `${shown(place)}: ${quoted(path)} ${how}.`, {
    hint: 'A compose file can name only what lies in the source itself: use a path below the root of the source.',
    field: place.path.join('.') || place.file,
  })

/** `services.web.ports.0` is how people search for it. */
const shown = ({ file, path }: Place) => [file, path.map(quotedKey).join('.')].filter((part) => part !== '').join(': ')

const quotedKey = (key: string) => (/^[\w.-]{1,80}$/.test(key) ? key : quoted(key))

/** Escaped and cut: messages go to terminals and logs. */
export const quoted = (text: string) => JSON.stringify(text.length > 120 ? `${text.slice(0, 120)}…` : text)

/** The service a path speaks of, and the key inside it. */
export function warningAt(path: readonly string[], message: string): Warning {
  return path[0] === 'services' && path[1] !== undefined
    ? { service: path[1], key: path.slice(2).join('.'), message }
    : { service: null, key: path.join('.'), message }
}
