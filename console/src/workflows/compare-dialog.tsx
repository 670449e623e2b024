import type { Block } from '../definition/workflow-draft.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { DiffView } from '../ui/diff-view.tsx'

/** Each changed block, saved and unsaved, side by side. */
export function CompareDialog({
  saved,
  draft,
  onClose,
}: {
  saved: readonly Block[]
  draft: readonly Block[]
  onClose: () => void
}) {
  const ids = [...new Set([...saved, ...draft].map((block) => block.uniqueBlockId))]
  const pairs = ids
    .map((id) => ({
      before: saved.find((block) => block.uniqueBlockId === id),
      after: draft.find((block) => block.uniqueBlockId === id),
    }))
    .filter(({ before, after }) => textOf(before) !== textOf(after))
  return (
    <Dialog title="Compare with what is saved" width={1100} onClose={onClose}>
      <div className="mt-3 flex flex-col gap-4">
        {pairs.length === 0 && <p className="text-muted">There is no difference.</p>}
        {pairs.map(({ before, after }) => (
          <section key={(before ?? after)?.uniqueBlockId}>
            <h3 className="mb-1.5 font-medium">
              {(after ?? before)?.blockName}
              <span className="ml-2 text-label font-normal text-muted">
                {!before ? 'added' : !after ? 'removed' : 'changed'}
              </span>
            </h3>
            <DiffView before={textOf(before)} after={textOf(after)} language="javascript" labels={['Saved', 'Yours']} />
          </section>
        ))}
      </div>
      <div className="mt-5 flex justify-end">
        <Button onClick={onClose}>Close</Button>
      </div>
    </Dialog>
  )
}

/** The settings as a comment above the script, so that one difference shows both. */
function textOf(block: Block | undefined): string {
  if (!block) return ''
  const settings = {
    name: block.blockName,
    application: block.applicationShortName,
    dataSources: block.dataSources,
    variables: block.variables,
  }
  return `/* ${JSON.stringify(settings, null, 2)} */\n${block.script}`
}
