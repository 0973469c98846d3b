export type Finding = {
  id: string
  /** `plan`: not so yet, and will be made; `failed`: nothing is begun. */
  state: 'ok' | 'plan' | 'warning' | 'failed'
  what: string
  /** What to do, or what will be done. */
  remedy: string | null
}

export const ok = (id: string, what: string): Finding => ({ id, state: 'ok', what, remedy: null })
const finding =
  (state: 'plan' | 'warning' | 'failed') =>
  (id: string, what: string, remedy: string): Finding => ({ id, state, what, remedy })
export const plan = finding('plan')
export const warning = finding('warning')
export const failed = finding('failed')
