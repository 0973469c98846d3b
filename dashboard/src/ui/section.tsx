import { type ReactNode, useId } from 'react'

type Props = { title: string; note?: ReactNode; action?: ReactNode; children: ReactNode }

/** A part of a page under a heading of its own, with the one thing to do about it beside the heading. */
export function Section({ title, note, action, children }: Props) {
  const id = useId()
  return (
    <section aria-labelledby={id} className="mb-8">
      <div className="flex flex-wrap items-end gap-x-4 gap-y-2 pb-3">
        <div className="min-w-0 flex-1 basis-60">
          <h2 id={id} className="font-semibold">
            {title}
          </h2>
          {note && <p className="mt-0.5 max-w-prose text-soft text-pretty">{note}</p>}
        </div>
        {action}
      </div>
      {children}
    </section>
  )
}

/** Names and what they are: the terms in a column where there is room. */
export const Facts = ({ children }: { children: ReactNode }) => <dl className="divide-y divide-line">{children}</dl>

export const Fact = ({ term, children }: { term: string; children: ReactNode }) => (
  <div className="grid gap-x-4 gap-y-0.5 px-4 py-3 sm:grid-cols-[11rem_minmax(0,1fr)]">
    <dt className="text-soft">{term}</dt>
    <dd className="min-w-0 break-words">{children}</dd>
  </div>
)
