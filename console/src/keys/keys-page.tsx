// Key pairs of the account: what programs sign in with. A secret is shown once, right after it was made.
import { Eye, KeyRound, MoreHorizontal, Pencil, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { type Answer, sentenceOf, useAction, useOperation } from '../api.ts'
import { Button } from '../ui/button.tsx'
import { Chip } from '../ui/chip.tsx'
import { Copy } from '../ui/copy.tsx'
import type { Column } from '../ui/data-table.tsx'
import { ConfirmDialog } from '../ui/dialog.tsx'
import { Empty } from '../ui/empty.tsx'
import { ListPanel } from '../ui/list-panel.tsx'
import { Menu } from '../ui/menu.tsx'
import { Page } from '../ui/page.tsx'
import { Time } from '../ui/time.tsx'
import { toast } from '../ui/toast.tsx'
import type { ApiKey } from './api-key.ts'
import { KeyDialog } from './key-dialog.tsx'
import { NewKeyNotice } from './new-key-notice.tsx'

type Asked = { kind: 'new' } | { kind: 'edit'; key: ApiKey } | { kind: 'revoke'; key: ApiKey }

export function KeysPage() {
  const keys = useOperation('ApiKeys', {})
  const [asked, setAsked] = useState<Asked>()
  const [made, setMade] = useState<Answer<'ApiKeyCreate'>>()
  const revoke = useAction('DeleteApiKey', {
    changes: ['ApiKeys'],
    onDone: () => {
      setAsked(undefined)
      toast.done('The key was revoked.')
    },
  })
  // The key of an account that was made already activated waits here for its one reading.
  const reveal = useAction('RevealApiKey', {
    changes: ['ApiKeys'],
    isShownInPlace: true,
    onDone: ({ answer }) => setMade(answer),
  })
  const onReveal = (key: ApiKey) =>
    reveal.mutate(
      { params: { id: key.id } },
      { onError: () => toast.error('This secret was read already or has expired. Create a new key instead.') },
    )
  const newKey = (
    <Button tone="primary" icon={Plus} onClick={() => setAsked({ kind: 'new' })}>
      New key
    </Button>
  )
  return (
    <Page
      title="Keys"
      lead="Programs sign in with a key pair: the public key in the header Consumer, the secret in SecretKey."
      actions={newKey}
    >
      {made && <NewKeyNotice made={made} onDone={() => setMade(undefined)} />}
      <ListPanel
        label="Keys"
        columns={columnsWith(setAsked, onReveal)}
        rows={keys.data ?? undefined}
        keyOf={(key) => key.id}
        skeletonRows={3}
        empty={
          <Empty icon={KeyRound} title="No keys yet" action={newKey}>
            Create a key for each program that calls the API, so that you can revoke one without stopping the others.
          </Empty>
        }
        query={keys}
        sentence={sentenceOf}
      />
      {asked?.kind === 'new' && <KeyDialog onClose={() => setAsked(undefined)} onMade={setMade} />}
      {asked?.kind === 'edit' && <KeyDialog apiKey={asked.key} onClose={() => setAsked(undefined)} onMade={setMade} />}
      {asked?.kind === 'revoke' && (
        <ConfirmDialog
          title={`Revoke ${nameOf(asked.key)}?`}
          confirm="Revoke"
          isBusy={revoke.isPending}
          onConfirm={() => revoke.mutate({ params: { id: asked.key.id } })}
          onClose={() => setAsked(undefined)}
        >
          Programs that use this key are refused within one second. This cannot be undone.
        </ConfirmDialog>
      )}
    </Page>
  )
}

function nameOf(key: ApiKey): string {
  return key.label || 'this key'
}

function columnsWith(ask: (asked: Asked) => void, onReveal: (key: ApiKey) => void): readonly Column<ApiKey>[] {
  return [
    {
      id: 'label',
      label: 'Label',
      cell: (key) =>
        key.label ? <span className="font-medium">{key.label}</span> : <span className="text-faint">No label</span>,
    },
    {
      id: 'consumer',
      label: 'Consumer',
      width: '280px',
      hideBelow: 'phone',
      cell: (key) => <Copy text={key.consumer} />,
    },
    {
      id: 'addresses',
      label: 'Allowed from',
      width: '200px',
      hideBelow: 'desktop',
      cell: (key) => <Addresses list={key.ipRestriction} />,
    },
    {
      id: 'used',
      label: 'Last used',
      width: '112px',
      cell: (key) => <Time iso={key.lastUsedDateTimeUTC} fallback="Never" />,
    },
    {
      id: 'expires',
      label: 'Expires',
      width: '120px',
      hideBelow: 'phone',
      cell: (key) => <Expiry iso={key.expiresDateTimeUTC} />,
    },
    {
      id: 'created',
      label: 'Created',
      width: '112px',
      hideBelow: 'desktop',
      cell: (key) => <Time iso={key.createDateTimeUTC} />,
    },
    {
      id: 'more',
      label: 'Actions',
      isLabelHidden: true,
      width: '48px',
      align: 'end',
      cell: (key) => (
        <Menu
          label={`Actions for ${nameOf(key)}`}
          trigger={<MoreHorizontal size={16} aria-hidden />}
          triggerClassName="inline-flex size-7 items-center justify-center rounded-md text-muted hover:bg-raised hover:text-text"
          items={[
            { label: 'Edit', icon: Pencil, onSelect: () => ask({ kind: 'edit', key }) },
            ...(key.lastUsedDateTimeUTC === null
              ? [{ label: 'Show secret once', icon: Eye, onSelect: () => onReveal(key) }]
              : []),
            { label: 'Revoke', icon: Trash2, isDanger: true, onSelect: () => ask({ kind: 'revoke', key }) },
          ]}
        />
      ),
    },
  ]
}

function Addresses({ list }: { list: readonly string[] }) {
  if (list.length === 0) return <span className="text-muted">Any address</span>
  return (
    <span title={list.join('\n')} className="font-mono text-label">
      {list[0]}
      {list.length > 1 && <span className="text-muted"> and {list.length - 1} more</span>}
    </span>
  )
}

function Expiry({ iso }: { iso: string | null }) {
  if (iso !== null && Date.parse(iso) < Date.now()) {
    return (
      <Chip tone="grey" shape="square">
        Expired
      </Chip>
    )
  }
  return <Time iso={iso} fallback="Never" />
}
