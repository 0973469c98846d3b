import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import { newActKey } from './act-key.ts'

type Headers = { 'idempotency-key': string }
type Options<Input, Output> = {
  send(input: Input, headers: Headers): Promise<Output>
  /** What is asked for anew when it has ended, however it ended. */
  refresh: QueryKey[]
  onDone?: (output: Output, input: Input) => void
}

/**
 * Sends something once: saying the same again, because no answer came, carries the same Idempotency-Key and is the same act. Something
 * else, or the same after it was done, is another one.
 */
export function useWrite<Input = void, Output = unknown>({ send, refresh, onDone }: Options<Input, Output>) {
  const client = useQueryClient()
  const act = useRef({ said: '', key: newActKey() })
  const keyFor = (input: Input) => {
    const said = JSON.stringify(input) ?? ''
    if (said !== act.current.said) act.current = { said, key: newActKey() }
    return act.current.key
  }
  const forget = () => {
    act.current = { said: '', key: newActKey() }
  }
  const write = useMutation({
    mutationFn: (input: Input) => send(input, { 'idempotency-key': keyFor(input) }),
    onSuccess: (output, input) => {
      forget()
      onDone?.(output, input)
    },
    onSettled: () => {
      for (const queryKey of refresh) void client.invalidateQueries({ queryKey })
    },
  })
  /** Called when somebody begins to think about it. */
  const begin = () => {
    forget()
    write.reset()
  }
  return { ...write, begin }
}
