import { Check, ClipboardCopy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { announce } from './announce.tsx'
import { Button } from './button.tsx'
import { copyText } from './copy-text.ts'

const SHOWN_MS = 1600

type Props = { text: string | (() => Promise<string>); label: string; children?: string }

/** `label` says what is copied; without `children` it is said to those who cannot see the sign. */
export function CopyButton({ text, label, children }: Props) {
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [copied])
  const copy = async () => {
    await copyText(typeof text === 'string' ? text : await text())
    setCopied(true)
    announce('Copied.')
  }
  return (
    <Button look="quiet" size={children ? 'md' : 'icon'} aria-label={children ? undefined : label} onClick={copy}>
      {copied ? <Check size={14} className="text-ok" aria-hidden /> : <ClipboardCopy size={14} aria-hidden />}
      {children}
    </Button>
  )
}
