import { type RefObject, useEffect, useRef } from 'react'
import { announce } from '../ui/announce.tsx'
import { copyText } from '../ui/copy-text.ts'
import type { Log } from './open-log.ts'

/** A place in the log: a line, and how far into it. */
type Point = { seq: number; offset: number }
type Chosen = { from: Point; to: Point }

/**
 * Copies what is selected, also where its rows have left the page since: both ends are remembered while they are there,
 * and the worker has the lines between them.
 */
export function useCopyLines(box: RefObject<HTMLElement | null>, log: Log, onSelect: () => void): void {
  const told = useRef(onSelect)
  told.current = onSelect
  useEffect(() => {
    const element = box.current
    if (!element) return
    let chosen: Chosen | null = null
    const look = () => {
      const selection = document.getSelection()
      if (!selection?.anchorNode || !element.contains(selection.anchorNode)) return
      // A row that has left takes its end of the selection along: where it began stays known until another one begins.
      const from = chosen?.from ?? pointAt(selection.anchorNode, selection.anchorOffset)
      const to = pointAt(selection.focusNode, selection.focusOffset) ?? chosen?.to ?? from
      chosen = from && to ? { from, to } : null
      if (!selection.isCollapsed) told.current()
    }
    const begin = ({ shiftKey }: PointerEvent) => {
      if (!shiftKey) chosen = null
    }
    const copy = (event: ClipboardEvent) => {
      // Whoever copies at once is ahead of the word that the selection has changed.
      look()
      if (!chosen || isSame(chosen)) return
      event.preventDefault()
      void textOf(log, chosen)
        .then(copyText)
        .then(() => announce('Copied.'))
    }
    const press = (event: KeyboardEvent) => {
      if (event.key !== 'a' || !(event.metaKey || event.ctrlKey)) return
      event.preventDefault()
      document.getSelection()?.selectAllChildren(element)
      chosen = { from: { seq: 0, offset: 0 }, to: { seq: Number.MAX_SAFE_INTEGER, offset: Number.MAX_SAFE_INTEGER } }
    }
    element.addEventListener('pointerdown', begin)
    document.addEventListener('selectionchange', look)
    element.addEventListener('copy', copy)
    element.addEventListener('keydown', press)
    return () => {
      element.removeEventListener('pointerdown', begin)
      document.removeEventListener('selectionchange', look)
      element.removeEventListener('copy', copy)
      element.removeEventListener('keydown', press)
    }
  }, [box, log])
}

const isSame = ({ from, to }: Chosen) => from.seq === to.seq && from.offset === to.offset

function pointAt(node: Node | null, offset: number): Point | null {
  const element = node instanceof Element ? node : node?.parentElement
  const row = element?.closest<HTMLElement>('[data-seq]')
  const text = row?.querySelector('[data-text]')
  if (!node || !row || !text) return null
  const before = document.createRange()
  before.setStart(text, 0)
  // Before the text there is only what cannot be selected.
  if (text.contains(node)) before.setEnd(node, offset)
  else if (text.compareDocumentPosition(node) & Node.DOCUMENT_POSITION_FOLLOWING)
    before.setEnd(text, text.childNodes.length)
  return { seq: Number(row.dataset.seq), offset: before.toString().length }
}

async function textOf(log: Log, { from, to }: Chosen): Promise<string> {
  const isForward = from.seq < to.seq || (from.seq === to.seq && from.offset <= to.offset)
  const [first, last] = isForward ? [from, to] : [to, from]
  const text = await log.text({ ask: 'text', from: first.seq, to: last.seq })
  const lastLength = text.length - (text.lastIndexOf('\n') + 1)
  return text.slice(first.offset, text.length - Math.max(0, lastLength - last.offset))
}
