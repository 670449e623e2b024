// Where new blocks come from: the catalogue's block templates, or an empty script.
import { listSizeMax } from '@patchbay/sdk'
import { Braces } from 'lucide-react'
import { useState } from 'react'
import { type Answer, call, useOperation } from '../api.ts'
import { ApplicationLogo } from '../applications/application-logo.tsx'
import { type Block, newBlockId } from '../definition/workflow-draft.ts'
import { SearchBox } from '../ui/search-box.tsx'
import { SidePanel } from '../ui/side-panel.tsx'
import { SkeletonLines } from '../ui/skeleton.tsx'

type Template = Answer<'BlockTemplates'>[number]

/** A block that runs once, when its data sources have results. */
const ofNewBlock = {
  isCustomized: true,
  runWhen: null,
  needs: null,
  forEach: null,
  subWorkflow: null,
  wait: null,
  retry: null,
  onError: null,
  timeoutSeconds: null,
}

export function BlockPicker({
  after,
  onPick,
  onClose,
}: {
  after: string | undefined
  onPick: (block: Block) => void
  onClose: () => void
}) {
  const [term, setTerm] = useState('')
  const templates = useOperation('BlockTemplates', {}, { staleTime: 60_000 }).data
  const connections = useOperation('RegApplicationsSearch', { body: { size: listSizeMax } }, { staleTime: 30_000 }).data
  const connected = new Set(connections?.regApplications.map(({ shortName }) => shortName.toLowerCase()))
  const isUsable = ({ applicationShortName: name }: Template) => !name || connected.has(name.toLowerCase())
  const fits = ({ name, description, applicationShortName }: Template) =>
    `${name} ${description} ${applicationShortName ?? ''}`.toLowerCase().includes(term.toLowerCase())
  // What can be used at once comes first.
  const inOrder = templates?.toSorted((a, b) => Number(isUsable(b)) - Number(isUsable(a)))
  const pick = async (template: Template | undefined) => {
    const detail = template && (await call('BlockTemplate', { params: { id: template.id } }))
    onPick({
      no: 0,
      uniqueBlockId: newBlockId(),
      blockName: template?.name ?? 'Code',
      blockTemplateId: template?.id ?? null,
      applicationShortName: template?.applicationShortName ?? null,
      script: detail?.script ?? '// Datasource[0] holds the result of the previous block.\nreturn Datasource[0]\n',
      dataSources: after === undefined ? [] : [after],
      variables: Object.fromEntries(
        (detail?.variables ?? []).map((variable) => [
          variable.shortName,
          { variableSource: 'Value', value: variable.default ?? '' },
        ]),
      ),
      ...ofNewBlock,
    })
  }
  const choice = 'flex w-full items-start gap-3 rounded-md px-2 py-2 text-left -outline-offset-2 hover:bg-raised'
  return (
    <SidePanel title="Add block" onClose={onClose}>
      <SearchBox value={term} onSearch={setTerm} placeholder="Search blocks" />
      <ul className="mt-3">
        <li>
          <button type="button" className={choice} onClick={() => void pick(undefined)}>
            <span className="flex size-7 shrink-0 items-center justify-center rounded-sm border border-line bg-raised text-muted">
              <Braces size={15} aria-hidden />
            </span>
            <span>
              <span className="block text-table font-medium">Empty script</span>
              <span className="block text-label text-muted">Start from scratch.</span>
            </span>
          </button>
        </li>
        {inOrder?.filter(fits).map((template) => (
          <li key={template.id}>
            <button type="button" className={choice} onClick={() => void pick(template)}>
              {template.applicationShortName ? (
                <ApplicationLogo shortName={template.applicationShortName} size={28} />
              ) : (
                <span className="flex size-7 shrink-0 items-center justify-center rounded-sm border border-line bg-raised text-muted">
                  <Braces size={15} aria-hidden />
                </span>
              )}
              <span className="min-w-0">
                <span className="block text-table font-medium">
                  {template.name}
                  {connections && !isUsable(template) && (
                    <span className="ml-2 text-label font-normal text-faint">not connected</span>
                  )}
                </span>
                <span className="block text-label text-muted">{template.description}</span>
              </span>
            </button>
          </li>
        ))}
      </ul>
      {!templates && <SkeletonLines count={6} />}
    </SidePanel>
  )
}
