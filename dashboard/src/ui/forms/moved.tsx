import { Caution } from '../tag.tsx'

type Props<T> = { opened: T; stored: T; labels: Partial<Record<keyof T & string, string>> }

/** Optimistic locking, said to a person: what another has changed while this form was open. Sending again changes one's own fields alone. */
export function Moved<T extends object>({ opened, stored, labels }: Props<T>) {
  const names = Object.keys(labels) as (keyof T & string)[]
  const others = names.filter((name) => opened[name] !== stored[name])
  if (others.length === 0) return null
  const said = others.map(
    (name) => `${labels[name]} is now “${inWords(stored[name])}”, it was “${inWords(opened[name])}”`,
  )
  return (
    <Caution>{`Somebody has changed this meanwhile: ${said.join('; ')}. Sending again changes only what you typed.`}</Caution>
  )
}

const inWords = (value: unknown) => (value === null || value === undefined || value === '' ? 'empty' : String(value))
