type Ready<T> = { source: AsyncIterator<T> } & ({ result: IteratorResult<T> } | { error: unknown })

/**
 * What several sources give, in the order it comes. A source is asked for more when its last one was taken; the first
 * that fails ends it. The caller ends the sources: one that waits does not hear it otherwise.
 */
export async function* merged<T>(sources: AsyncIterator<T>[]): AsyncGenerator<T> {
  const ready: Ready<T>[] = []
  let wake = () => {}
  const ask = (source: AsyncIterator<T>) =>
    source
      .next()
      .then(
        (result) => ready.push({ source, result }),
        (error) => ready.push({ source, error }),
      )
      .then(() => wake())
  for (const source of sources) ask(source)
  for (let open = sources.length; open > 0; ) {
    const next = ready.shift()
    if (!next) {
      await new Promise<void>((go) => {
        wake = go
      })
    } else if ('error' in next) throw next.error
    else if (next.result.done) open--
    else {
      yield next.result.value
      ask(next.source)
    }
  }
}
