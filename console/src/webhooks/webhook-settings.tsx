// How the webhook takes requests and in which order they run. What is not changed here stays as it is.

import { Settings2 } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { type Answer, type Body, sentenceOf, useAction } from '../api.ts'
import { Button } from '../ui/button.tsx'
import { counted } from '../ui/counted.ts'
import { Checkbox, Select, TextArea, TextField } from '../ui/field.tsx'
import { Notice } from '../ui/notice.tsx'
import { placeRefusal } from '../ui/refusal.ts'
import { toast } from '../ui/toast.tsx'
import { SignatureFields, signatureIn } from './signature-fields.tsx'

type Settings = Answer<'WebhookSettings'>

const orders = {
  free: 'Requests may run side by side.',
  strict: 'One request at a time, in order of arrival. A failed request holds back those behind it.',
  key: 'Requests with the same value at this path run in order, others side by side.',
} as const
type Order = keyof typeof orders

export function WebhookSettings({ workflowId, settings }: { workflowId: string; settings: Settings }) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <div>
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
        className="flex flex-wrap items-center gap-x-2 rounded-sm text-left text-table font-medium text-muted hover:text-text"
      >
        <Settings2 size={15} aria-hidden />
        How requests are handled
        <span className="font-normal">{words(settings)}</span>
      </button>
      {isOpen && <SettingsForm workflowId={workflowId} settings={settings} onSaved={() => setIsOpen(false)} />}
    </div>
  )
}

function orderOf({ strictOrderProcessing, orderKey }: Settings): Order {
  return strictOrderProcessing ? 'strict' : orderKey !== '' ? 'key' : 'free'
}

function words(settings: Settings): string {
  const order = {
    free: 'side by side',
    strict: 'in strict order',
    key: `in order per ${settings.orderKey}`,
  }[orderOf(settings)]
  const skip = settings.skipProcessingAfterErrors
  const tries = skip === 0 ? 'tried until they succeed' : `given up after ${counted(skip, 'error')}`
  const batch = settings.isBatch ? [`up to ${settings.batchSize} per run`] : []
  return [order, ...batch, tries].join(', ')
}

function SettingsForm({
  workflowId,
  settings,
  onSaved,
}: {
  workflowId: string
  settings: Settings
  onSaved: () => void
}) {
  const [order, setOrder] = useState<Order>(orderOf(settings))
  const save = useAction('WebhookSettingsEnable', {
    changes: ['WebhookSettings', 'Workflow'],
    isShownInPlace: true,
    onDone: () => {
      toast.done('Saved.')
      onSaved()
    },
  })
  const refused = placeRefusal(save.error ? sentenceOf(save.error) : undefined, fieldNames)
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    save.mutate({ params: { id: workflowId }, body: bodyOf(new FormData(event.currentTarget), order) })
  }
  return (
    <form onSubmit={submit} className="mt-4 grid max-w-200 grid-cols-1 gap-4 border-t border-line pt-4 sm:grid-cols-2">
      <OrderFields settings={settings} order={order} onOrder={setOrder} refused={refused.at} />
      <IntakeFields settings={settings} refused={refused.at} />
      <SignatureFields signature={settings.signature} refusal={refused.at.signature} />
      <div className="sm:col-span-2">
        <Checkbox
          name="updateDateLastRun"
          defaultChecked={settings.updateDateLastRun}
          label="Webhook runs update the last-run time"
          hint="Scheduled runs that read only changes then start from that time."
        />
      </div>
      {refused.beside && (
        <div className="sm:col-span-2">
          <Notice kind="error">{refused.beside}</Notice>
        </div>
      )}
      <div className="flex justify-end gap-2 sm:col-span-2">
        <Button type="submit" tone="primary" isBusy={save.isPending}>
          Save
        </Button>
      </div>
    </form>
  )
}

/** In which order requests run, and how many at once. */
function OrderFields({
  settings,
  order,
  onOrder,
  refused,
}: {
  settings: Settings
  order: Order
  onOrder: (order: Order) => void
  refused: Refused
}) {
  const [isBatch, setIsBatch] = useState(settings.isBatch)
  return (
    <>
      <Select
        label="Order"
        hint={orders[order]}
        value={order}
        onChange={(event) => onOrder(event.target.value as Order)}
        error={refused.order}
        options={[
          { value: 'free', label: 'Side by side' },
          { value: 'strict', label: 'Strict order' },
          { value: 'key', label: 'In order per key' },
        ]}
      />
      {order === 'key' && (
        <TextField
          label="Order key"
          name="orderKey"
          hint="Path into the payload, such as order.id."
          defaultValue={settings.orderKey}
          error={refused.orderKey}
          required
        />
      )}
      <div className="flex flex-col justify-center gap-2">
        <Checkbox
          name="isBatch"
          checked={isBatch}
          onChange={(event) => setIsBatch(event.target.checked)}
          label="In batches"
          hint="One run takes several requests; webhook is then an array."
        />
      </div>
      {isBatch && (
        <TextField
          label="Requests per run"
          name="batchSize"
          type="number"
          min={1}
          max={1000}
          defaultValue={settings.batchSize}
          error={refused.batchSize}
          required
        />
      )}
    </>
  )
}

/** Which requests are taken, and for how long they are tried. */
function IntakeFields({ settings, refused }: { settings: Settings; refused: Refused }) {
  return (
    <>
      <TextField
        label="New secret"
        name="secret"
        type="password"
        autoComplete="new-password"
        maxLength={500}
        hint="What the sender signs with. Empty: unchanged. A replaced secret works for another 24 hours."
        error={refused.secret}
        isOptional
      />
      <TextField
        label="Give up after errors"
        name="skipAfter"
        type="number"
        min={0}
        hint="In a row, for one request. 0: never."
        defaultValue={settings.skipProcessingAfterErrors}
        error={refused.skipAfter}
        required
      />
      <TextField
        label="URL parameters"
        name="urlParameters"
        hint="Added to the address, such as source=shop."
        defaultValue={settings.urlParameters}
        error={refused.urlParameters}
        isOptional
      />
      <TextArea
        label="Allowed from"
        name="ipRestriction"
        isMono
        hint="Addresses or CIDR ranges, one per line. Empty: any address."
        defaultValue={settings.ipRestriction.join('\n')}
        error={refused.ipRestriction}
        isOptional
      />
      <TextArea
        label="Skip script"
        name="skipScript"
        isMono
        hint="Runs before each request. If it returns something truthy, the request is skipped, for example: return webhook.body.test"
        defaultValue={settings.skipScript}
        error={refused.skipScript}
        isOptional
      />
    </>
  )
}

/** What the service calls the fields in its sentences. */
const fieldNames = {
  order: ['strictOrderProcessing', 'isBatch'],
  orderKey: ['orderKey'],
  batchSize: ['batchSize'],
  skipAfter: ['skipProcessingAfterErrors'],
  urlParameters: ['urlParameters'],
  ipRestriction: ['ipRestriction'],
  skipScript: ['skipScript'],
  signature: ['signature'],
  secret: ['secret'],
}

type Refused = ReturnType<typeof placeRefusal<keyof typeof fieldNames>>['at']

function bodyOf(form: FormData, order: Order): Body<'WebhookSettingsEnable'> {
  const text = (name: string) => String(form.get(name) ?? '').trim()
  return {
    strictOrderProcessing: order === 'strict',
    isBatch: form.get('isBatch') === 'on',
    orderKey: order === 'key' ? text('orderKey') : '',
    ...(form.get('isBatch') === 'on' ? { batchSize: Number(text('batchSize')) } : {}),
    skipProcessingAfterErrors: Number(text('skipAfter')),
    urlParameters: text('urlParameters'),
    ipRestriction: text('ipRestriction')
      .split(/[\s,]+/)
      .filter((one) => one !== ''),
    skipScript: String(form.get('skipScript') ?? ''),
    updateDateLastRun: form.get('updateDateLastRun') === 'on',
    signature: signatureIn(form),
    ...(text('secret') === '' ? {} : { secret: text('secret') }),
  }
}
