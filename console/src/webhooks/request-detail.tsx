// One request as it was received: payload, headers, address.
import { Link } from '@tanstack/react-router'
import { ArrowLeft, X } from 'lucide-react'
import type { ReactNode } from 'react'
import { useState } from 'react'
import { type Answer, sentenceOf, useOperation } from '../api.ts'
import { StatusChip } from '../runs/run-status.tsx'
import { Button, IconButton } from '../ui/button.tsx'
import { Copy } from '../ui/copy.tsx'
import { everyDepth, JsonTree } from '../ui/json-tree.tsx'
import { Notice } from '../ui/notice.tsx'
import { Panel } from '../ui/panel.tsx'
import { Loaded } from '../ui/query-state.tsx'
import { SearchBox } from '../ui/search-box.tsx'
import { SkeletonLines } from '../ui/skeleton.tsx'
import { exactTime } from '../ui/time.tsx'
import type { InboxItem } from './inbox-item.ts'
import { fitting } from './payload-search.ts'
import { RequestActions } from './request-actions.tsx'

type Request = Answer<'GetWebhook'>

export function RequestDetail({
  workflowId,
  webhookId,
  item,
  onClose,
}: {
  workflowId: string
  webhookId: string
  /** Its line in the list, while the list shows it. */
  item: InboxItem | undefined
  onClose: () => void
}) {
  const request = useOperation('GetWebhook', { params: { webhookId } }, { staleTime: 60_000 })
  return (
    <Panel className="appearing min-w-0 lg:sticky lg:top-[calc(var(--shell-top)+16px)]">
      <section aria-label="Request">
        <header className="flex items-center gap-2 border-b border-line py-2 pr-2 pl-4">
          <Button size="small" tone="quiet" icon={ArrowLeft} className="-ml-2 lg:hidden" onClick={onClose}>
            Requests
          </Button>
          <h2 className="min-w-0 truncate text-section font-semibold max-lg:sr-only">Request</h2>
          {item && <StatusChip status={item.status} />}
          <IconButton icon={X} label="Close" className="ml-auto max-lg:hidden" onClick={onClose} />
        </header>
        <div className="p-4 lg:max-h-[calc(100dvh-180px)] lg:overflow-y-auto">
          {item?.errorMessage && (
            <div className="mb-4">
              <Notice kind="error">{item.errorMessage}</Notice>
            </div>
          )}
          {request.data === null ? (
            <p className="text-muted">This request is no longer stored.</p>
          ) : (
            <Loaded query={request} skeleton={<SkeletonLines count={8} />} sentence={sentenceOf}>
              {(data) => <Content request={data} workflowId={workflowId} runNumber={item?.runNumber ?? null} />}
            </Loaded>
          )}
        </div>
        {item && (
          <footer className="flex border-t border-line px-4 py-3">
            <RequestActions workflowId={workflowId} item={item} size="normal" />
          </footer>
        )}
      </section>
    </Panel>
  )
}

function Content({
  request,
  workflowId,
  runNumber,
}: {
  request: Request
  workflowId: string
  runNumber: number | null
}) {
  const [term, setTerm] = useState('')
  const headers = Object.entries(request.headers).filter(
    ([name, value]) => term === '' || `${name} ${value}`.toLowerCase().includes(term.toLowerCase()),
  )
  return (
    <>
      <dl className="mb-4 grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1 text-table">
        <Fact name="Id">
          <Copy text={request.id} />
        </Fact>
        <Fact name="Accepted">{exactTime(request.createDateTimeUTC)}</Fact>
        <Fact name="Method">{request.method}</Fact>
        {runNumber !== null && (
          <Fact name="Run">
            <Link
              to="/workflows/$id/runs/$number"
              params={{ id: workflowId, number: String(runNumber) }}
              className="rounded-sm font-medium text-accent underline underline-offset-2"
            >
              {runNumber}
            </Link>
          </Fact>
        )}
        {Object.entries(request.urlParameters).map(([name, value]) => (
          <Fact key={name} name={`?${name}`}>
            <span className="font-mono text-label">{String(value)}</span>
          </Fact>
        ))}
      </dl>
      <SearchBox
        className="mb-3"
        value={term}
        onSearch={setTerm}
        label="Search this request"
        placeholder="Search this request"
      />
      <Payload value={request.webhookValue} term={term} />
      <h3 className="mt-5 mb-1.5 text-label font-medium text-muted">Headers</h3>
      <table aria-label="Headers" className="w-full table-fixed text-label">
        <tbody>
          {headers.map(([name, value]) => (
            <tr key={name} className="border-b border-line align-top last:border-b-0">
              <th scope="row" className="w-2/5 py-1 pr-3 text-left font-normal text-muted [overflow-wrap:anywhere]">
                {name}
              </th>
              <td className="py-1 font-mono [overflow-wrap:anywhere]">{value}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  )
}

function Payload({ value, term }: { value: unknown; term: string }) {
  const shown = term === '' ? value : fitting(value, term)
  return (
    <>
      <h3 className="mb-1.5 text-label font-medium text-muted">Payload</h3>
      {shown === undefined ? (
        <p className="text-table text-muted">Nothing in the payload matches “{term}”.</p>
      ) : (
        <JsonTree key={term} label="Payload" value={shown} openDepth={term === '' ? 3 : everyDepth} />
      )}
    </>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-muted">{name}</dt>
      <dd className="min-w-0">{children}</dd>
    </>
  )
}
