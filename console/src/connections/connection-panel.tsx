// One connection: how it is, what uses it, new credentials, the way out.
import { Link } from '@tanstack/react-router'
import { PlugZap, RefreshCw, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { call, sentenceOf, useAction, useOperation } from '../api.ts'
import { useApplication } from '../applications/applications.ts'
import { WorkflowStateChip } from '../definition/workflow-state.tsx'
import { Button } from '../ui/button.tsx'
import { Copy } from '../ui/copy.tsx'
import { ConfirmDialog } from '../ui/dialog.tsx'
import { Notice } from '../ui/notice.tsx'
import { SidePanel } from '../ui/side-panel.tsx'
import { exactTime } from '../ui/time.tsx'
import { toast } from '../ui/toast.tsx'
import { openAuthorization, useAuthorizationWatch } from './authorization.ts'
import { type Connection, ConnectionStateChip } from './connection-state.tsx'
import { CredentialsForm } from './credentials-form.tsx'
import { tellHealth } from './tell-health.ts'

const changes = ['RegApplicationsSearch', 'RegApplications', 'Overview', 'WorkflowsSearch'] as const

export function ConnectionPanel({ connection, onClose }: { connection: Connection; onClose: () => void }) {
  const application = useApplication(connection.shortName)
  const [isAsked, setIsAsked] = useState(false)
  const name = connection.tagText || connection.name
  const { update, isWaiting, isFormOpen, reconnect } = useReconnect(connection)
  const remove = useAction('DeleteRegApplication', { changes, onDone: () => toast.done(`${name} was deleted.`) })
  const params = { id: connection.id }
  const test = useTest(connection)
  return (
    <SidePanel
      title={name}
      state={<ConnectionStateChip connection={connection} />}
      onClose={onClose}
      footer={
        <>
          <Button icon={RefreshCw} isBusy={test.isBusy} onClick={test.run}>
            Test now
          </Button>
          <Button
            icon={PlugZap}
            tone={connection.isFaulted || !connection.isAuthenticated ? 'primary' : 'secondary'}
            isBusy={update.isPending}
            onClick={reconnect}
          >
            Reconnect
          </Button>
          <Button className="ml-auto" tone="quiet" icon={Trash2} onClick={() => setIsAsked(true)}>
            Delete
          </Button>
        </>
      }
    >
      {connection.faultMessage && (
        <div className="mb-4">
          <Notice kind="error" title="This connection does not work">
            {connection.faultMessage}
          </Notice>
        </div>
      )}
      {isWaiting && (
        <div className="mb-4">
          <Notice kind="note">Grant access in the other window. This page continues by itself.</Notice>
        </div>
      )}
      {isFormOpen && application ? (
        <CredentialsForm
          application={application}
          initialLabel={connection.tagText}
          isUpdate
          submit="Save"
          isBusy={update.isPending}
          refusal={update.error ? sentenceOf(update.error) : undefined}
          onSubmit={({ tagText, credentials }) =>
            update.mutate({ params, body: { tagText, credentialsJson: JSON.stringify(credentials) } })
          }
        />
      ) : (
        <Facts connection={connection} />
      )}
      {isAsked && (
        <ConfirmDialog
          title={`Delete ${name}?`}
          confirm="Delete"
          isBusy={remove.isPending}
          error={remove.error ? sentenceOf(remove.error) : undefined}
          onClose={() => setIsAsked(false)}
          onConfirm={() => remove.mutate({ params }, { onSuccess: onClose })}
        >
          Its credentials are removed for good. Workflows that use it must be connected to another one first.
        </ConfirmDialog>
      )}
    </SidePanel>
  )
}

/** A person grants access anew in another window, or new credentials are typed into a form. */
function useReconnect(connection: Connection) {
  const [isFormOpen, setIsFormOpen] = useState(false)
  const [isWaiting, setIsWaiting] = useState(false)
  const name = connection.tagText || connection.name
  const update = useAction('RegApplicationUpdate', {
    changes,
    onDone: ({ answer }) => {
      if (answer && /^https?:/.test(answer)) {
        setIsWaiting(true)
        if (!openAuthorization(answer))
          toast.error('The browser blocked the window. Allow it for this address and press Reconnect again.')
      } else {
        setIsFormOpen(false)
        void tellHealth(connection, {
          works: `${name} was tested and saved.`,
          fails: `${name} was saved, but it does not work`,
        })
      }
    },
  })
  useAuthorizationWatch(
    isWaiting,
    (all) =>
      all.find(
        (one) =>
          one.id === connection.id && one.isAuthenticated && one.modifyDateTimeUTC > connection.modifyDateTimeUTC,
      ),
    () => {
      setIsWaiting(false)
      void tellHealth(connection, {
        works: `${name} is connected again.`,
        fails: `${name} was connected again, but it does not work`,
      })
    },
  )
  const reconnect = () =>
    connection.isOAuth
      ? update.mutate({ params: { id: connection.id }, body: { tagText: connection.tagText } })
      : setIsFormOpen(true)
  return { update, isWaiting, isFormOpen, reconnect }
}

/** Credentials are tried again as they are stored. Where a person gave access, the service shows whether its token still works. */
function useTest(connection: Connection): { isBusy: boolean; run: () => void } {
  const [isBusy, setIsBusy] = useState(false)
  const update = useAction('RegApplicationUpdate', { changes })
  const name = connection.tagText || connection.name
  const run = async () => {
    setIsBusy(true)
    try {
      if (connection.isOAuth) await call('ApiAuth', { query: {} }, { headers: { AppKey: connection.id } })
      else await update.mutateAsync({ params: { id: connection.id }, body: { credentialsJson: '{}' } })
      await tellHealth(connection, { works: `${name} was tested and works.`, fails: `${name} does not work` })
    } catch (error) {
      if (connection.isOAuth) toast.error(sentenceOf(error))
    } finally {
      setIsBusy(false)
    }
  }
  return { isBusy, run: () => void run() }
}

function Facts({ connection }: { connection: Connection }) {
  const used = useOperation('WorkflowsSearch', { body: { regAppIds: [connection.id], size: 100 } })
  return (
    <>
      <dl className="mb-6 grid grid-cols-[110px_1fr] gap-y-2 text-table">
        <dt className="text-muted">Application</dt>
        <dd>
          {connection.name} <span className="font-mono text-label text-muted">{connection.shortName}</span>
        </dd>
        <dt className="text-muted">Access</dt>
        <dd>{connection.isOAuth ? 'Granted by a person' : 'Stored credentials'}</dd>
        <dt className="text-muted">Registered</dt>
        <dd>{exactTime(connection.createDateTimeUTC)}</dd>
        <dt className="text-muted">Changed</dt>
        <dd>{exactTime(connection.modifyDateTimeUTC)}</dd>
        <dt className="text-muted">Id</dt>
        <dd className="min-w-0">
          <Copy text={connection.id} />
        </dd>
      </dl>
      <h3 className="mb-2 font-semibold">Used by</h3>
      {used.data?.workflows.length === 0 && <p className="text-table text-muted">No workflow uses it yet.</p>}
      <ul className="divide-y divide-line">
        {used.data?.workflows.map((workflow) => (
          <li key={workflow.id} className="flex items-center gap-2 py-1.5 text-table">
            <Link
              to="/workflows/$id"
              params={{ id: workflow.id }}
              className="min-w-0 flex-1 truncate hover:text-accent hover:underline"
            >
              {workflow.name}
            </Link>
            <WorkflowStateChip state={workflow.workflowState} />
          </li>
        ))}
      </ul>
    </>
  )
}
