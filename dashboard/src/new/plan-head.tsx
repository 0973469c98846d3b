import type { Preparation } from '@slipway/contract/prepare'
import { CircleAlert } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { Tag } from '../ui/tag.tsx'
import type { Tone } from '../ui/title.ts'
import type { Source } from './source.ts'

const CONFIDENCE: Record<Preparation['confidence'], { tone: Tone; words: string }> = {
  high: { tone: 'ok', words: 'The source says so' },
  medium: { tone: 'idle', words: 'By what such sources look like' },
  low: { tone: 'ask', words: 'A guess: look at it' },
}

const STRATEGIES: Record<Preparation['strategy'], string> = {
  compose: 'Compose file',
  monorepo: 'Workspace',
  dockerfile: 'Dockerfile',
  server: 'Server',
  static: 'Static site',
}

/** As their own people write them. */
const LANGUAGES: Record<string, string> = {
  javascript: 'JavaScript',
  typescript: 'TypeScript',
  python: 'Python',
  go: 'Go',
  rust: 'Rust',
  ruby: 'Ruby',
  php: 'PHP',
  java: 'Java',
}

/** What it was taken for, why, and how sure that is. */
export function PlanHead({ plan, source }: { plan: Preparation | null; source: Source }) {
  const heading = useRef<HTMLHeadingElement>(null)
  // The button that led here is gone: whoever listens hears what it was taken for.
  useEffect(() => heading.current?.focus({ preventScroll: true }), [])
  return (
    <div className="space-y-3 p-4">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <h2 ref={heading} tabIndex={-1} className="min-w-0 flex-1 basis-52 text-base font-semibold outline-none">
          {titleOf(plan, source)}
        </h2>
        {plan && <Tag tone={CONFIDENCE[plan.confidence].tone}>{CONFIDENCE[plan.confidence].words}</Tag>}
      </div>
      {plan && plan.because.length > 0 && <p className="text-soft text-pretty">Because: {plan.because.join(', ')}</p>}
      {plan?.warnings.map((text) => (
        <p key={text} className="flex gap-2 text-ask text-pretty">
          <CircleAlert size={16} className="mt-0.5 shrink-0" aria-hidden />
          <span className="min-w-0 break-words">{text}</span>
        </p>
      ))}
      {plan && plan.services.length > 0 && <Services plan={plan} />}
    </div>
  )
}

function titleOf(plan: Preparation | null, source: Source): string {
  if (source.kind === 'image') return 'Runs as it is'
  if (plan === null) return 'It is recognised when it is built'
  const { framework, language, packageManager, strategy } = plan
  const words = [STRATEGIES[strategy], language && (LANGUAGES[language] ?? language), framework, packageManager]
  return [...new Set(words)].filter(Boolean).join(' · ')
}

function Services({ plan: { services } }: { plan: Preparation }) {
  return (
    <ul className="divide-y divide-line rounded-lg border border-line">
      {services.map(({ name, image, framework, language, startCommand, port, rootDirectory }) => (
        <li key={name} className="flex flex-wrap gap-x-3 gap-y-0.5 px-3 py-2">
          <span className="font-medium">{name}</span>
          <span className="min-w-0 flex-1 basis-40 break-words text-soft">
            {[image ?? framework ?? language ?? rootDirectory, startCommand, port && `port ${port}`]
              .filter(Boolean)
              .join(' · ')}
          </span>
        </li>
      ))}
    </ul>
  )
}
