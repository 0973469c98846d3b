import { CopyButton } from '../ui/copy-button.tsx'

/** An act as a command, to be taken along. */
export const Command = ({ text }: { text: string }) => (
  <div className="flex items-center gap-2 rounded-md border border-line bg-sunken pr-1 pl-3">
    <code className="min-w-0 flex-1 py-2 font-mono text-xs break-words text-ink">{text}</code>
    <CopyButton text={text} label={`Copy ${text}`} />
  </div>
)
