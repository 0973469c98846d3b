import { useEffect } from 'react'

export type Tone = 'ok' | 'run' | 'ask' | 'bad' | 'idle'

/** What the tab says, and the dot on its icon: a deployment can be watched from afar. */
export function useTitle(title: string, tone: Tone | null = null): void {
  useEffect(() => {
    document.title = title
    document
      .querySelector('link[rel=icon]')
      ?.setAttribute('href', tone && tone !== 'idle' ? `/mark-${tone}.svg` : '/mark.svg')
  }, [title, tone])
}
