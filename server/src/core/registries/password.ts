import type { BaseParts } from '../parts.ts'

type Keys = Pick<BaseParts, 'keys'>

const placeOf = (id: string) => `registry/${id}/password`

export const sealPassword = ({ keys }: Keys, id: string, password: string) => keys.seal(password, placeOf(id))

export const openPassword = ({ keys }: Keys, { id, password }: { id: string; password: string }) =>
  keys.open(password, placeOf(id))
