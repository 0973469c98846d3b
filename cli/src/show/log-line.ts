import type { Output } from './output.ts'

type Line = { ts: string; service: string | null; stream: string; line: string }

/** `web  16:42:53.112  GET / 200` */
export function logLine(out: Output, { ts, service, stream, line }: Line): string {
  const time = out.paint('dim', /T([\d:]+(?:\.\d{1,3})?)/.exec(ts)?.[1] ?? ts)
  return `${service === null ? '' : `${out.paint('cyan', service)}  `}${time}  ${stream === 'stderr' ? out.paint('yellow', line) : line}`
}
