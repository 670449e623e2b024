// The upgrade assistant, four steps on one page: version, customers, conflicts, roll-out. Its address holds where one is.
import { getRouteApi } from '@tanstack/react-router'
import { useCallback, useState } from 'react'
import { sentenceOf, useOperation } from '../api.ts'
import { Notice } from '../ui/notice.tsx'
import { Page, Section } from '../ui/page.tsx'
import { RefusedQuery } from '../ui/refused-query.tsx'
import { SkeletonLines } from '../ui/skeleton.tsx'
import { CustomerDetail } from './customer-detail.tsx'
import { CustomersStep, customersPerPage } from './customers-step.tsx'
import { useDecisions } from './decisions.ts'
import { outcomeLooks, type PreviewOutcome } from './outcome.tsx'
import { RollOutStep } from './roll-out-step.tsx'
import { UpgradeList } from './upgrade-list.tsx'
import { VersionStep } from './version-step.tsx'

const route = getRouteApi('/upgrades')

export function UpgradesPage() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const change = useCallback(
    (changes: Record<string, unknown>, isStep = false) =>
      void navigate({ search: (before) => ({ ...before, ...changes }), replace: !isStep }),
    [navigate],
  )
  const { template: templateId, to, workflow } = search
  return (
    <Page
      title="Upgrades"
      lead="Upgrade workflows to a new version of their template. Customers keep their own changes, and you see everything before it happens."
    >
      {workflow === undefined && (
        <Section title="Version">
          <VersionStep
            templateId={templateId}
            version={to}
            onChange={(next) => change({ ...next, outcome: undefined, page: undefined, workflow: undefined }, true)}
          />
        </Section>
      )}
      {templateId === undefined ? (
        <UpgradeList />
      ) : (
        <Assistant key={`${templateId} ${to}`} {...{ templateId, change }} />
      )}
    </Page>
  )
}

type Change = (changes: Record<string, unknown>, isStep?: boolean) => void

function Assistant({ templateId, change }: { templateId: string; change: Change }) {
  const { to, page: shown = 1, workflow, ...search } = route.useSearch()
  const outcome = Object.hasOwn(outcomeLooks, search.outcome ?? '') ? (search.outcome as PreviewOutcome) : undefined
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const goal = `${templateId} ${to ?? ''}`
  const decisions = useDecisions(goal)
  const chosen = { workflowTemplateId: templateId, ...(to === undefined ? {} : { toVersion: to }) }
  const preview = useOperation(
    'TemplateUpgradePreview',
    { body: { ...chosen, page: shown - 1, size: customersPerPage, ...(outcome && { outcome }) } },
    { keepPrevious: true, staleTime: 30_000 },
  )
  if (workflow !== undefined) {
    return <OneCustomer {...{ goal, workflow, chosen }} onBack={() => change({ workflow: undefined }, true)} />
  }
  const data = preview.data ?? undefined
  const toVersion = data?.items[0]?.toVersion ?? to
  return (
    <>
      <Section title="Customers" lead="Open a customer to see every change side by side and to resolve conflicts.">
        <CustomersStep
          preview={preview}
          outcome={outcome}
          page={shown - 1}
          selected={selected}
          decisions={decisions}
          onOutcome={(next) => change({ outcome: next, page: undefined })}
          onPage={(next) => change({ page: next + 1 })}
          onSelect={setSelected}
          onOpen={(id) => change({ workflow: id }, true)}
        />
      </Section>
      {data && data.counts.clean + data.counts.conflict + data.counts.problem > 0 && (
        <Section title="Roll-out" lead="A workflow whose next runs all fail is rolled back automatically.">
          <RollOutStep {...{ templateId, toVersion, selected, decisions }} cleanCount={data.counts.clean} />
        </Section>
      )}
    </>
  )
}

function OneCustomer({
  goal,
  workflow,
  chosen,
  onBack,
}: {
  goal: string
  workflow: string
  chosen: { workflowTemplateId: string; toVersion?: string }
  onBack: () => void
}) {
  const preview = useOperation('TemplateUpgradePreview', { body: { ...chosen, workflowIds: [workflow] } })
  if (preview.error) return <RefusedQuery sentence={sentenceOf(preview.error)} refetch={preview.refetch} />
  const item = preview.data?.items[0]
  if (!preview.data) return <SkeletonLines count={8} />
  if (!item) return <Notice kind="note">This workflow is archived, so it is not upgraded.</Notice>
  return <CustomerDetail {...{ item, goal, onBack }} />
}
