import { Button } from './button.tsx'

type Props = { list: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage(): unknown } }

/** In place of endless scrolling: the foot of the page stays in reach. Nothing where there is no more. */
export function ShowOlder({ list }: Props) {
  if (!list.hasNextPage) return null
  return (
    <div className="pt-4 text-center">
      <Button busy={list.isFetchingNextPage} onClick={() => list.fetchNextPage()}>
        Show older
      </Button>
    </div>
  )
}
