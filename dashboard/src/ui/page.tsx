import type { ReactNode } from 'react'

export const Page = ({ children }: { children: ReactNode }) => (
  <div className="mx-auto max-w-6xl px-4 py-6 sm:px-8 sm:py-8">{children}</div>
)

/** The heading takes the focus after navigation, so that whoever listens hears where they are. */
export function PageHead({ title, note, children }: { title: ReactNode; note?: ReactNode; children?: ReactNode }) {
  return (
    <div className="flex flex-wrap items-end gap-x-4 gap-y-3 pb-5">
      {/* A sentence beside a button would be a column of single words on a phone. */}
      <div className={`min-w-0 flex-1 ${note ? 'max-sm:basis-full' : ''}`}>
        <h1 tabIndex={-1} className="text-xl font-semibold tracking-tight outline-none">
          {title}
        </h1>
        {note && <p className="mt-1 text-soft">{note}</p>}
      </div>
      {children}
    </div>
  )
}

const BONES = { rows: 'h-15', facts: 'h-16.5 sm:h-11' }

/** Rows of the final height, shown only when it takes long enough to be noticed. */
export function Bones({ rows = 6, as = 'rows' }: { rows?: number; as?: keyof typeof BONES }) {
  return (
    <div aria-busy="true" className="animate-[rise_200ms_200ms_ease-out_both] space-y-px">
      {Array.from({ length: rows }, (_, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are all the same
        <div key={at} className={`under-way rounded-md bg-hover ${BONES[as]}`} />
      ))}
      <span className="sr-only">Loading</span>
    </div>
  )
}

export function Empty({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="rounded-xl border border-dashed border-line-strong px-6 py-14 text-center">
      <p className="font-medium">{title}</p>
      <div className="mx-auto mt-1.5 max-w-md text-soft text-pretty">{children}</div>
    </div>
  )
}

export const Card = ({ children, className = '' }: { children: ReactNode; className?: string }) => (
  <div className={`overflow-hidden rounded-xl border border-line bg-surface shadow-card ${className}`}>{children}</div>
)

export const Code = ({ children }: { children: string }) => (
  <code className="rounded bg-sunken px-1 py-0.5 font-mono text-xs break-words text-ink">{children}</code>
)
