// What stands in the place of an answer that was refused: its sentence, and a way to ask again.
import { Button } from './button.tsx'
import { Notice } from './notice.tsx'

export function RefusedQuery({ sentence, refetch }: { sentence: string; refetch: () => unknown }) {
  return (
    <Notice
      kind="error"
      action={
        <Button size="small" onClick={() => refetch()}>
          Try again
        </Button>
      }
    >
      {sentence}
    </Notice>
  )
}
