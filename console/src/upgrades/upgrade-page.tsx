// One upgrade while it rolls out and afterwards: waves that fill, one button to stop and one to roll back.

import { getRouteApi } from '@tanstack/react-router'
import { Pause, Play, Undo2 } from 'lucide-react'
import { useState } from 'react'
import { sentenceOf, useAction, useOperation } from '../api.ts'
import { Button } from '../ui/button.tsx'
import { counted } from '../ui/counted.ts'
import { ConfirmDialog } from '../ui/dialog.tsx'
import { Notice } from '../ui/notice.tsx'
import { Page, Section } from '../ui/page.tsx'
import { PageOf } from '../ui/page-of.tsx'
import { Panel } from '../ui/panel.tsx'
import { Time } from '../ui/time.tsx'
import { CountsBar } from './counts-bar.tsx'
import { StateChip, type Upgrade } from './outcome.tsx'
import { UpgradeItems } from './upgrade-items.tsx'
import { WaveDots } from './waves.tsx'

const route = getRouteApi('/upgrades/$id')

export function UpgradePage() {
  const { id } = route.useParams()
  const upgrade = useOperation(
    'GetTemplateUpgrade',
    { params: { id } },
    { refetchInterval: (data) => (data?.state === 'Running' ? 1000 : 5000) },
  )
  return (
    <PageOf query={upgrade} title="Upgrade" back={{ label: 'Upgrades', to: '/upgrades' }} sentence={sentenceOf}>
      {(data) => <LoadedUpgrade upgrade={data} />}
    </PageOf>
  )
}

function LoadedUpgrade({ upgrade }: { upgrade: Upgrade }) {
  const template = useOperation('WorkflowTemplate', { params: { id: upgrade.workflowTemplateId }, query: {} }).data
  return (
    <Page
      title={`${template?.name ?? 'Upgrade'} · version ${upgrade.toVersion}`}
      back={{ label: 'Upgrades', link: { to: '/upgrades' } }}
      state={<StateChip state={upgrade.state} />}
      lead={
        <>
          Started <Time iso={upgrade.createDateTimeUTC} />. Workflows are watched for 7 days; one whose next runs all
          fail is rolled back automatically.
        </>
      }
      actions={<UpgradeActions upgrade={upgrade} />}
    >
      {upgrade.state === 'Stopped' && (
        <div className="mb-6">
          <Notice kind="warning" title="The upgrade stopped by itself">
            Too many workflows failed and were rolled back. Those that work were left as they are; roll back to undo
            them too.
          </Notice>
        </div>
      )}
      <Section title="Waves">
        <Panel className="flex flex-col gap-4 p-4">
          <CountsBar counts={upgrade.counts} />
          <WaveDots
            label="Waves"
            items={upgrade.items.map(({ workflowId, wave, outcome, name, accountEmail }) => ({
              key: workflowId,
              wave,
              outcome,
              title: `${accountEmail ?? ''} ${name ?? ''}`.trim(),
            }))}
          />
        </Panel>
      </Section>
      <Section title="Workflows">
        <UpgradeItems upgrade={upgrade} />
      </Section>
    </Page>
  )
}

const reads = ['GetTemplateUpgrade', 'TemplateUpgrades'] as const

function UpgradeActions({ upgrade }: { upgrade: Upgrade }) {
  const [isAsking, setIsAsking] = useState(false)
  const act = useAction('TemplateUpgradeAction', { changes: reads })
  const send = (action: 'pause' | 'resume' | 'rollBack') => act.mutate({ params: { id: upgrade.id }, body: { action } })
  const { state, counts } = upgrade
  return (
    <>
      {state === 'Running' && counts.pending > 0 && (
        <Button
          icon={Pause}
          isBusy={act.isPending}
          onClick={() => send('pause')}
          title="No further workflows are upgraded until you resume."
        >
          Pause
        </Button>
      )}
      {state === 'Paused' && (
        <Button icon={Play} isBusy={act.isPending} onClick={() => send('resume')}>
          Resume
        </Button>
      )}
      {state !== 'RolledBack' && (
        <Button icon={Undo2} onClick={() => setIsAsking(true)} disabled={counts.upgraded + counts.pending === 0}>
          Roll back
        </Button>
      )}
      {isAsking && (
        <ConfirmDialog
          title="Roll back this upgrade?"
          confirm="Roll back"
          isBusy={act.isPending}
          onClose={() => setIsAsking(false)}
          onConfirm={() => {
            send('rollBack')
            setIsAsking(false)
          }}
        >
          {rollBackEffect(counts)}
        </ConfirmDialog>
      )}
    </>
  )
}

function rollBackEffect({ upgraded }: Upgrade['counts']): string {
  if (upgraded === 0) return 'No workflow has been upgraded yet; pending ones are skipped.'
  const going =
    upgraded === 1
      ? 'The upgraded workflow goes back to what it was.'
      : `All ${counted(upgraded, 'upgraded workflow')} go back to what they were.`
  return `${going} A workflow that was edited since keeps its edits and stays upgraded.`
}
