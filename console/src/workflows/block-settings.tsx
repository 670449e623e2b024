import { useApplications } from '../applications/applications.ts'
import type { Block, BlockEdit } from '../definition/workflow-draft.ts'
import { Checkbox, Select, TextField } from '../ui/field.tsx'
import { Notice } from '../ui/notice.tsx'

export function BlockSettings({
  chain,
  block,
  isStructureFree,
  onEdit,
}: {
  chain: readonly Block[]
  block: Block
  isStructureFree: boolean
  onEdit: (edit: BlockEdit) => void
}) {
  const applications = useApplications().data ?? []
  const others = chain.filter((other) => other.uniqueBlockId !== block.uniqueBlockId)
  const toggle = (id: string, isSource: boolean) =>
    onEdit({ dataSources: isSource ? [...block.dataSources, id] : block.dataSources.filter((source) => source !== id) })
  return (
    <div className="flex max-w-140 flex-col gap-4 p-4">
      <TextField
        label="Block name"
        value={block.blockName}
        maxLength={200}
        onChange={(event) => onEdit({ blockName: event.target.value })}
      />
      <Select
        label="Application"
        hint="What the block calls with api.get, api.post and api.send."
        disabled={!isStructureFree}
        value={block.applicationShortName ?? ''}
        onChange={(event) => onEdit({ applicationShortName: event.target.value === '' ? null : event.target.value })}
        options={[
          { value: '', label: 'None' },
          ...applications.map(({ shortName, name }) => ({ value: shortName, label: `${name} (${shortName})` })),
        ]}
      />
      <fieldset>
        <legend className="mb-1.5 text-table font-medium">Data sources</legend>
        <p className="mb-2 text-label text-muted">
          The script sees their results as <code className="font-mono">Datasource[0]</code>,{' '}
          <code className="font-mono">Datasource[1]</code> … in this order:{' '}
          {block.dataSources.map((id) => others.find((other) => other.uniqueBlockId === id)?.blockName).join(', ') ||
            'none'}
          .
        </p>
        {isStructureFree ? (
          <div className="flex flex-col gap-1.5">
            {others.map((other) => (
              <Checkbox
                key={other.uniqueBlockId}
                label={other.blockName}
                checked={block.dataSources.includes(other.uniqueBlockId)}
                onChange={(event) => toggle(other.uniqueBlockId, event.target.checked)}
              />
            ))}
          </div>
        ) : (
          <Notice kind="note">
            The structure belongs to the template. Detach the workflow under Settings to change it.
          </Notice>
        )}
      </fieldset>
    </div>
  )
}
