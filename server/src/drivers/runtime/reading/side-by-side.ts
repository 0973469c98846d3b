/** Works on all of them, so many at once, and answers in their order. */
export async function sideBySide<A, B>(all: readonly A[], width: number, work: (one: A) => Promise<B>): Promise<B[]> {
  const done: B[] = new Array(all.length)
  let next = 0
  const worker = async () => {
    for (let n = next++; n < all.length; n = next++) done[n] = await work(all[n] as A)
  }
  await Promise.all(Array.from({ length: Math.min(width, all.length) }, worker))
  return done
}
