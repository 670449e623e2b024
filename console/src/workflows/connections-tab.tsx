import { listSizeMax } from '@patchbay/sdk'
import { ExternalLink } from 'lucide-react'
import { useState } from 'react'
import { sentenceOf, useOperation } from '../api.ts'
import { ApplicationLogo } from '../applications/application-logo.tsx'
import { useApplications } from '../applications/applications.ts'
import { ConnectionStateChip } from '../connections/connection-state.tsx'
import { calledNames } from '../definition/found-connections.ts'
import type { WorkflowDetail } from '../definition/workflow-draft.ts'
import { Button, LinkButton } from '../ui/button.tsx'
import { Empty } from '../ui/empty.tsx'
import { Select } from '../ui/field.tsx'
import { Notice } from '../ui/notice.tsx'
import { Panel } from '../ui/panel.tsx'
import { useWorkflowSave } from './variables-tab.tsx'

/** Which registered application stands behind each short name that the blocks use. */
export function ConnectionsTab({ workflow }: { workflow: WorkflowDetail }) {
  const [edits, setEdits] = useState<Record<string, string | null>>({})
  const save = useWorkflowSave(workflow)
  const catalogue = useApplications().data ?? []
  const connections = useOperation('RegApplicationsSearch', { body: { size: listSizeMax } }).data?.regApplications ?? []
  const given = Object.keys(workflow.applications)
  const isGiven = (name: string) => given.some((other) => other.toLowerCase() === name.toLowerCase())
  const shortNames = [...given, ...calledNames(workflow.chain).filter((name) => !isGiven(name))]
  if (shortNames.length === 0) {
    return (
      <Panel>
        <Empty icon={ExternalLink} title="No block calls an application.">
          Call one in a script, such as api.get('SHOP/orders'); it appears here to be connected.
        </Empty>
      </Panel>
    )
  }
  return (
    <Panel className="max-w-180">
      <ul className="divide-y divide-line">
        {shortNames.map((shortName) => {
          const application = catalogue.find((item) => item.shortName.toLowerCase() === shortName.toLowerCase())
          const choices = connections.filter(
            (connection) => connection.shortName.toLowerCase() === shortName.toLowerCase(),
          )
          const chosenId = shortName in edits ? edits[shortName] : workflow.applications[shortName]
          const chosen = choices.find((connection) => connection.id === chosenId)
          return (
            <li key={shortName} className="flex flex-wrap items-end gap-3 p-4">
              <ApplicationLogo shortName={shortName} size={32} />
              <Select
                className="min-w-56 flex-1"
                label={application?.name ?? shortName}
                value={chosenId ?? ''}
                onChange={(event) => setEdits((before) => ({ ...before, [shortName]: event.target.value || null }))}
                options={[
                  { value: '', label: choices.length === 0 ? 'Nothing registered yet' : 'Not connected' },
                  ...choices.map((connection) => ({
                    value: connection.id,
                    label: connection.tagText || connection.name,
                  })),
                ]}
              />
              {chosen && (
                <span className="mb-1.5">
                  <ConnectionStateChip connection={chosen} />
                </span>
              )}
              {application && choices.length === 0 && (
                <LinkButton to="/catalogue" search={{ register: application.id }}>
                  Register
                </LinkButton>
              )}
            </li>
          )
        })}
      </ul>
      <div className="flex flex-wrap items-center justify-end gap-2 border-t border-line p-3">
        {save.error && (
          <div className="w-full">
            <Notice kind="error">{sentenceOf(save.error)}</Notice>
          </div>
        )}
        <Button
          tone="primary"
          isBusy={save.isPending}
          disabled={Object.keys(edits).length === 0}
          onClick={() => save.mutate({ applications: edits }, { onSuccess: () => setEdits({}) })}
        >
          Save
        </Button>
      </div>
    </Panel>
  )
}
