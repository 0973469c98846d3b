import { fork } from 'node:child_process'

export type Obedient<Order> = { tell<T>(order: Order): Promise<T>; stop(): void }

/** A process of its own that does one order after the other: what the proof itself does must not slow it down. */
export function startObedient<Order extends object>(file: string): Obedient<Order> {
  const child = fork(file)
  process.once('exit', () => child.kill())
  const tellNow = <T>(order: Order) =>
    new Promise<T>((done, fail) => {
      const gone = () => fail(new Error('the load process ended'))
      child.once('exit', gone)
      child.once('message', (answer: { result: T } | { error: string }) => {
        child.off('exit', gone)
        return 'error' in answer ? fail(new Error(answer.error)) : done(answer.result)
      })
      child.send(order)
    })
  let turn: Promise<unknown> = Promise.resolve()
  return {
    tell<T>(order: Order) {
      const mine = turn.then(() => tellNow<T>(order))
      turn = mine.catch(() => {})
      return mine
    },
    stop: () => child.kill(),
  }
}

/** The other side of it. */
export function obey<Order>(work: (order: Order) => Promise<unknown>): void {
  process.on('message', (order: Order) => {
    work(order).then(
      (result) => process.send?.({ result: result ?? null }),
      (error: Error) => process.send?.({ error: error.message }),
    )
  })
}
