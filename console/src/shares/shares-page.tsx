// Files that were sent through an encrypted link: who opened them, until when, and the way to take them back.

import { getRouteApi } from '@tanstack/react-router'
import { FileLock2, Plus } from 'lucide-react'
import { useState } from 'react'
import { type Answer, sentenceOf, useAction, useOperation } from '../api.ts'
import { Button } from '../ui/button.tsx'
import { byteText } from '../ui/byte-text.ts'
import { type ChipShape, type ChipTone, StateText } from '../ui/chip.tsx'
import { counted } from '../ui/counted.ts'
import type { Column } from '../ui/data-table.tsx'
import { ConfirmDialog } from '../ui/dialog.tsx'
import { Empty } from '../ui/empty.tsx'
import { ListPanel } from '../ui/list-panel.tsx'
import { Page } from '../ui/page.tsx'
import { Time } from '../ui/time.tsx'
import { toast } from '../ui/toast.tsx'
import { ShareForm } from './share-form.tsx'

const route = getRouteApi('/shares')
type Share = Answer<'SecureShares'>[number]

const looks: Record<Share['state'], { tone: ChipTone; shape: ChipShape }> = {
  Active: { tone: 'green', shape: 'dot' },
  Locked: { tone: 'amber', shape: 'bars' },
  Expired: { tone: 'grey', shape: 'square' },
}

export function SharesPage() {
  const { upload } = route.useSearch()
  const navigate = route.useNavigate()
  const shares = useOperation('SecureShares', {}, { refetchInterval: 15_000 })
  const [asked, setAsked] = useState<Share>()
  const revoke = useAction('DeleteSecureShare', {
    changes: ['SecureShares'],
    onDone: () => {
      setAsked(undefined)
      toast.done('The share was revoked. Its link no longer works.')
    },
  })
  const open = (isOpen: boolean) => void navigate({ search: { upload: isOpen ? true : undefined } })
  const newShare = (
    <Button tone="primary" icon={Plus} onClick={() => open(true)}>
      New share
    </Button>
  )
  return (
    <Page
      title="Shares"
      lead="Send files as a link instead of an attachment. They are stored encrypted, and the link expires."
      actions={!upload && newShare}
    >
      {upload && <ShareForm onClose={() => open(false)} />}
      <ListPanel
        label="Shares"
        columns={columnsWith(setAsked)}
        rows={shares.data ?? undefined}
        keyOf={(share) => share.id}
        skeletonRows={4}
        empty={
          <Empty icon={FileLock2} title="No shares yet" action={!upload && newShare}>
            API clients create shares with ProxySecureUpload. You can also create one here.
          </Empty>
        }
        query={shares}
        sentence={sentenceOf}
      />
      {asked && (
        <ConfirmDialog
          title={`Revoke the share for ${asked.notificationEmail}?`}
          confirm="Revoke"
          isBusy={revoke.isPending}
          onConfirm={() => revoke.mutate({ params: { id: asked.id } })}
          onClose={() => setAsked(undefined)}
        >
          Its key is destroyed at once, so the files cannot be read again by anybody.
        </ConfirmDialog>
      )}
    </Page>
  )
}

function SharedFiles({ files, subject }: Share) {
  return (
    <div className="min-w-0 py-1" title={files.map(({ name }) => name).join('\n')}>
      <span className="block truncate font-medium">
        {files[0]?.name}
        {files.length > 1 && <span className="font-normal text-muted"> and {files.length - 1} more</span>}
      </span>
      <span className="block truncate text-label text-muted">
        {subject} · {byteText(files.reduce((sum, { bytes }) => sum + bytes, 0))}
      </span>
    </div>
  )
}

function columnsWith(onRevoke: (share: Share) => void): readonly Column<Share>[] {
  return [
    {
      id: 'files',
      label: 'Files',
      cell: (share) => <SharedFiles {...share} />,
    },
    {
      id: 'state',
      label: 'State',
      width: '100px',
      cell: (share) => <StateText {...looks[share.state]}>{share.state}</StateText>,
    },
    {
      id: 'to',
      label: 'To',
      width: '240px',
      hideBelow: 'phone',
      cell: (share) => <span className="block max-w-[240px] truncate">{share.notificationEmail}</span>,
    },
    {
      id: 'downloads',
      label: 'Downloads',
      width: '110px',
      align: 'end',
      hideBelow: 'phone',
      cell: (share) => (
        <span title={share.wrongCodes > 0 ? counted(share.wrongCodes, 'wrong code') : undefined}>
          {share.downloads}
          {share.wrongCodes > 0 && (
            <span className="ml-1.5 text-label text-amber">{counted(share.wrongCodes, 'wrong code')}</span>
          )}
        </span>
      ),
    },
    {
      id: 'last',
      label: 'Last download',
      width: '120px',
      hideBelow: 'desktop',
      cell: (share) => <Time iso={share.lastDownloadDateTimeUTC} fallback="Never" />,
    },
    {
      id: 'made',
      label: 'Created',
      width: '110px',
      hideBelow: 'desktop',
      cell: (share) => <Time iso={share.createDateTimeUTC} />,
    },
    {
      id: 'ends',
      label: 'Expires',
      width: '110px',
      hideBelow: 'phone',
      cell: (share) => <Time iso={share.expiresDateTimeUTC} />,
    },
    {
      id: 'actions',
      label: 'Actions',
      isLabelHidden: true,
      width: '90px',
      align: 'end',
      cell: (share) => (
        <Button size="small" onClick={() => onRevoke(share)}>
          Revoke
        </Button>
      ),
    },
  ]
}
