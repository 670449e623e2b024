import { Eye, Trash2 } from 'lucide-react'
import { useState } from 'react'
import type { Answer } from '../api.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { byteText } from '../ui/byte-text.ts'
import { Copy } from '../ui/copy.tsx'
import type { Column } from '../ui/data-table.tsx'
import { ConfirmDialog } from '../ui/dialog.tsx'
import { Time } from '../ui/time.tsx'
import { toast } from '../ui/toast.tsx'
import { useRemoveValue } from './vault-operations.ts'

type Item = Answer<'VaultKeys'>['items'][number]

export function vaultColumns(given: {
  workflowId: string | undefined
  onShow: (key: string) => void
}): readonly Column<Item>[] {
  return [
    { id: 'key', label: 'Key', cell: (item) => <Copy text={item.key} /> },
    {
      id: 'value',
      label: 'Value',
      width: '220px',
      hideBelow: 'phone',
      cell: () => (
        <span aria-hidden className="font-mono tracking-widest text-faint select-none">
          ••••••••
        </span>
      ),
    },
    {
      id: 'size',
      label: 'Size',
      width: '96px',
      align: 'end',
      hideBelow: 'phone',
      cell: (item) => byteText(item.sizeBytes),
    },
    {
      id: 'changed',
      label: 'Set',
      width: '120px',
      hideBelow: 'phone',
      cell: (item) => <Time iso={item.modifyDateTimeUTC} />,
    },
    {
      id: 'actions',
      label: 'Actions',
      isLabelHidden: true,
      width: '132px',
      align: 'end',
      cell: (item) => <Actions name={item.key} {...given} />,
    },
  ]
}

function Actions({
  name,
  workflowId,
  onShow,
}: {
  name: string
  workflowId: string | undefined
  onShow: (key: string) => void
}) {
  const [isAsked, setIsAsked] = useState(false)
  const removal = useRemoveValue(workflowId, () => {
    setIsAsked(false)
    toast.done(`${name} was removed.`)
  })
  return (
    <span className="flex items-center justify-end gap-1">
      <Button size="small" icon={Eye} onClick={() => onShow(name)}>
        Show
      </Button>
      <IconButton icon={Trash2} label={`Remove ${name}`} onClick={() => setIsAsked(true)} />
      {isAsked && (
        <ConfirmDialog
          title={`Remove ${name}?`}
          confirm="Remove"
          isBusy={removal.isPending}
          onConfirm={() => removal.mutate(name)}
          onClose={() => setIsAsked(false)}
        >
          Scripts that read this key get null from then on. The value cannot be recovered.
        </ConfirmDialog>
      )}
    </span>
  )
}
