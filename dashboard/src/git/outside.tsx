import { ExternalLink } from 'lucide-react'

/** A page of the git host, in a tab of its own. */
export function Outside({ href, children }: { href: string; children: string }) {
  return (
    <a
      href={href}
      target="_blank"
      rel="noopener noreferrer"
      className="inline-flex items-center gap-1.5 font-medium text-brand underline underline-offset-4 pointer-coarse:min-h-11"
    >
      {children}
      <ExternalLink size={13} aria-hidden />
    </a>
  )
}
