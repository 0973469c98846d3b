import { Link } from '@tanstack/react-router'
import { Check } from 'lucide-react'
import type { ReactNode } from 'react'
import { Card } from '../ui/page.tsx'
import { Command } from './command.tsx'
import { ServerStep } from './server-step.tsx'
import type { SetupStep, StepName } from './steps.ts'

const TITLES: Record<StepName, string> = {
  you: 'You',
  server: 'A server',
  project: 'Something to deploy',
  git: 'A git host',
  backups: 'A place for backups',
}

/** What is to be done for each; the same act as a command where there is no page for it. */
const TODO: Record<StepName, ReactNode> = {
  you: null,
  server: <ServerStep />,
  project: (
    <>
      <p>
        <Link to="/new" className="font-medium text-brand underline underline-offset-4">
          Drop a folder
        </Link>
        , choose a repository or name an image. Or sign the command line in, and deploy the folder that you are in.
      </p>
      <p>
        The command line comes from this instance and needs Node 22 or newer. On its own machine it is there already.
      </p>
      <Command text={`npm install --global ${location.origin}/cli/slipway.tgz`} />
      <Command text={`slipway login ${location.origin}`} />
      <Command text="slipway deploy" />
    </>
  ),
  git: (
    <>
      <p>
        <Link to="/git" className="font-medium text-brand underline underline-offset-4">
          Connect one
        </Link>
        : pushes deploy by themselves, and private repositories can be read.
      </p>
      <Command text="slipway git connect" />
    </>
  ),
  backups: (
    <>
      <p>
        <Link to="/backups" className="font-medium text-brand underline underline-offset-4">
          Add one
        </Link>
        : a bucket, an SFTP server, a server of yours or a folder. A check writes to it and reads it back.
      </p>
      <Command text="slipway backups add --help" />
    </>
  ),
}

export function Checklist({ steps }: { steps: SetupStep[] }) {
  const next = steps.find(({ isDone }) => !isDone)
  return (
    <Card>
      <ol className="divide-y divide-line">
        {steps.map((step, at) => (
          <Row key={step.name} step={step} number={at + 1} isNext={step === next} />
        ))}
      </ol>
    </Card>
  )
}

function Row({
  step: { name, isDone, isOptional },
  number,
  isNext,
}: {
  step: SetupStep
  number: number
  isNext: boolean
}) {
  return (
    <li className="flex gap-3 p-4" aria-current={isNext ? 'step' : undefined}>
      <span
        aria-hidden
        className={`grid size-6 shrink-0 place-items-center rounded-full text-xs font-semibold num ${isDone ? 'bg-ok-tint text-ok' : isNext ? 'bg-primary text-primary-ink' : 'border border-line-strong text-faint'}`}
      >
        {isDone ? <Check size={14} strokeWidth={3} /> : number}
      </span>
      <div className="min-w-0 flex-1">
        <p className={`leading-6 ${isDone ? 'text-soft' : 'font-medium'}`}>
          {TITLES[name]}
          {isDone && <span className="sr-only">: done</span>}
          {isOptional && !isDone && <span className="ml-2 text-xs font-normal text-faint">optional</span>}
        </p>
        {!isDone && <div className="mt-1 space-y-2 text-soft text-pretty">{TODO[name]}</div>}
      </div>
    </li>
  )
}
