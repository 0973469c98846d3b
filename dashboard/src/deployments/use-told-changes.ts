import type { Deployment } from '@slipway/contract/deployment-shape'
import { useEffect, useRef } from 'react'
import { announce } from '../ui/announce.tsx'
import { durationInWords } from '../ui/in-words.ts'
import { stepTitle } from './words.ts'

type Step = Deployment['steps'][number]

/** Whoever only listens hears of it when a step has ended, and when the state has changed. */
export function useToldChanges({ number, steps }: Deployment, word: string): void {
  const before = useRef({ word, over: overIn(steps) })
  useEffect(() => {
    const { word: wordBefore, over } = before.current
    before.current = { word, over: overIn(steps) }
    const ended = steps.filter(({ name, finishedAt }) => finishedAt !== null && !over.has(name)).map(endInWords)
    const changed = word === wordBefore ? [] : [`Deployment ${number}: ${word}.`]
    const said = [...ended, ...changed].join(' ')
    if (said !== '') announce(said)
  }, [word, number, steps])
}

const overIn = (steps: Step[]) => new Set(steps.filter(({ finishedAt }) => finishedAt !== null).map(({ name }) => name))

function endInWords({ name, status, startedAt, finishedAt }: Step): string {
  const { title, service } = stepTitle(name)
  const took = durationInWords(Date.parse(finishedAt ?? startedAt) - Date.parse(startedAt))
  return `${[title, service].filter(Boolean).join(' ')}: ${status === 'succeeded' ? 'finished' : status}, ${took}.`
}
