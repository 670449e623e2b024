// What scripts keep between runs. Values stay on the server until a person asks for one, and asking is audited.
import { listSizeMax } from '@patchbay/sdk'
import { getRouteApi } from '@tanstack/react-router'
import { Plus, SearchX, Vault } from 'lucide-react'
import { useCallback, useState } from 'react'
import { sentenceOf, useOperation } from '../api.ts'
import { Button } from '../ui/button.tsx'
import { Empty } from '../ui/empty.tsx'
import { Select } from '../ui/field.tsx'
import { useFilterChange } from '../ui/filters.ts'
import { ListPanel } from '../ui/list-panel.tsx'
import { Page } from '../ui/page.tsx'
import { SearchBox } from '../ui/search-box.tsx'
import { vaultColumns } from './vault-columns.tsx'
import { VaultDialog } from './vault-dialog.tsx'
import { VaultValue } from './vault-value.tsx'

const route = getRouteApi('/vault')
const size = 50

export function VaultPage() {
  const filters = route.useSearch()
  const navigate = route.useNavigate()
  const change = useFilterChange<typeof filters>(navigate)
  const page = (filters.page ?? 1) - 1
  const keys = useOperation(
    'VaultKeys',
    {
      body: {
        page,
        size,
        ...(filters.q ? { searchTerm: filters.q } : {}),
        ...(filters.workflow ? { workflowId: filters.workflow } : {}),
      },
    },
    { keepPrevious: true },
  )
  const workflows = useOperation('WorkflowsSearch', { body: { size: listSizeMax } }, { staleTime: 60_000 })
  const [shown, setShown] = useState<string>()
  const [isSetting, setIsSetting] = useState(false)
  const search = useCallback((q: string) => change({ q: q === '' ? undefined : q }), [change])
  const set = (
    <Button tone="primary" icon={Plus} onClick={() => setIsSetting(true)}>
      Set a value
    </Button>
  )
  return (
    <Page
      title="Vault"
      lead="What scripts keep between runs, encrypted. Values stay hidden; viewing one is recorded in the audit log."
      actions={set}
    >
      <search aria-label="Filters" className="mb-3 flex flex-wrap items-center gap-2">
        <Select
          label="Vault of"
          isLabelHidden
          className="w-full sm:w-72"
          value={filters.workflow ?? ''}
          onChange={(event) => {
            setShown(undefined)
            change({ workflow: event.target.value || undefined })
          }}
          options={[
            { value: '', label: 'The whole account' },
            ...(workflows.data?.workflows ?? []).map(({ id, name }) => ({ value: id, label: name })),
          ]}
        />
        <SearchBox className="w-full sm:w-72" value={filters.q ?? ''} onSearch={search} placeholder="Search keys" />
      </search>
      {shown !== undefined && (
        <VaultValue workflowId={filters.workflow} name={shown} onClose={() => setShown(undefined)} />
      )}
      <ListPanel
        label="Vault keys"
        columns={vaultColumns({ workflowId: filters.workflow, onShow: setShown })}
        rows={keys.data?.items}
        keyOf={(item) => item.key}
        empty={
          filters.q ? (
            <Empty icon={SearchX} title={`No key contains “${filters.q}”.`} />
          ) : (
            <Empty icon={Vault} title="Nothing is kept here yet" action={set}>
              {filters.workflow
                ? 'Scripts of this workflow write here with myVault.set(key, value); no other workflow sees it.'
                : 'Scripts of any workflow write here with myVault.setGlobal(key, value), and all of them see it.'}
            </Empty>
          )
        }
        query={keys}
        sentence={sentenceOf}
        paging={{ page, size, total: keys.data?.total, onPage: (next) => change({ page: next + 1 }) }}
      />
      {isSetting && <VaultDialog workflowId={filters.workflow} onClose={() => setIsSetting(false)} />}
    </Page>
  )
}
