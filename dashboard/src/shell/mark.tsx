/** A hull on its way down the ramp; the same drawing as public/mark.svg. */
export function Mark({ large = false }: { large?: boolean }) {
  return <img src="/mark.svg" alt="" width={24} height={24} className={large ? 'size-9 shrink-0' : 'size-6 shrink-0'} />
}
