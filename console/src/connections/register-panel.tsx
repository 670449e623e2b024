// Registering an application: its form, and where a person must give access, the provider's window.
import { ExternalLink } from 'lucide-react'
import { useState } from 'react'
import { sentenceOf, useAction } from '../api.ts'
import { ApplicationLogo } from '../applications/application-logo.tsx'
import type { Application } from '../applications/applications.ts'
import { buttonClass } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import { SidePanel } from '../ui/side-panel.tsx'
import { Spinner } from '../ui/spinner.tsx'
import { openAuthorization, useAuthorizationWatch } from './authorization.ts'
import { CredentialsForm } from './credentials-form.tsx'
import { tellHealth } from './tell-health.ts'

export function RegisterPanel({
  application,
  onRegistered,
  onClose,
}: {
  application: Application
  onRegistered: (id: string) => void
  onClose: () => void
}) {
  const [startedAt] = useState(() => new Date(Date.now() - 5000).toISOString())
  const [authorizationUrl, setAuthorizationUrl] = useState<string>()
  const done = (id: string) => {
    void tellHealth(
      { id, applicationId: application.id },
      {
        works: `${application.name} is connected.`,
        fails: `${application.name} was saved, but it does not work`,
      },
    )
    onRegistered(id)
  }
  const create = useAction('RegApplicationCreate', {
    changes: ['RegApplicationsSearch', 'RegApplications', 'Overview'],
    onDone: ({ answer }) => {
      if (answer === undefined) return
      if (!/^https?:/.test(answer)) return done(answer)
      openAuthorization(answer)
      setAuthorizationUrl(answer)
    },
  })
  useAuthorizationWatch(
    authorizationUrl !== undefined,
    (connections) =>
      connections.find(
        (connection) =>
          connection.applicationId === application.id &&
          connection.isAuthenticated &&
          connection.createDateTimeUTC >= startedAt,
      ),
    (connection) => done(connection.id),
  )
  return (
    <SidePanel title={`Register ${application.name}`} onClose={onClose}>
      <div className="mb-5 flex items-start gap-3">
        <ApplicationLogo shortName={application.shortName} size={40} />
        <p className="text-table text-muted">{application.description}</p>
      </div>
      {authorizationUrl ? (
        <Notice
          kind="note"
          title="Grant access in the other window"
          action={
            <a href={authorizationUrl} target="_blank" rel="noreferrer" className={buttonClass('secondary', 'small')}>
              <ExternalLink size={13} aria-hidden /> Open again
            </a>
          }
        >
          <span className="flex items-center gap-2">
            <Spinner /> Waiting for {application.name} …
          </span>
        </Notice>
      ) : (
        <CredentialsForm
          application={application}
          submit="Register"
          isBusy={create.isPending}
          refusal={create.error ? sentenceOf(create.error) : undefined}
          onSubmit={({ tagText, credentials }) =>
            create.mutate({
              body: { applicationId: application.id, tagText, credentialsJson: JSON.stringify(credentials) },
            })
          }
        />
      )}
    </SidePanel>
  )
}
