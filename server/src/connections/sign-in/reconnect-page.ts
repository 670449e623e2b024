// Where the link of a fault mail leads. Looking at it changes nothing, because mail scanners look at links.
import type { Database } from '../../db/index.ts'
import { html, type Page, page } from '../../http/index.ts'
import { AppError } from '../../lib/app-error.ts'
import type { KeyRing } from '../../secrets/index.ts'
import { type OpenedConnection, type OpenedConnections, usableCredentials } from '../credentials/opened-connection.ts'
import { findReconnectLink } from '../faults/reconnect-link.ts'
import { findConnection } from '../store.ts'
import { insertState, prepareAuthorization, redirectUri } from './authorize.ts'

type ReconnectDeps = { database: Database; keyRing: KeyRing; opened: OpenedConnections; baseUrl: () => string }

const title = 'Reconnect'

export function reconnectPages(deps: ReconnectDeps): Page[] {
  const find = async (token: string): Promise<OpenedConnection | undefined> => {
    const link = await findReconnectLink(deps.database.system, token)
    return link && deps.opened.findFresh(link, link.regApplicationId)
  }
  const gone = { status: 404, html: page(title, html`<p>This link is no longer valid.</p>`) }
  return [
    {
      method: 'GET',
      path: '/reconnect',
      render: async ({ query }) => {
        const opened = await find(query['token'] ?? '')
        return opened ? { status: 200, html: page(title, invitation(opened, query['token'] ?? '')) } : gone
      },
    },
    {
      method: 'POST',
      path: '/reconnect',
      render: async ({ form }) => {
        const opened = await find(form['token'] ?? '')
        if (!opened) return gone
        try {
          const url = await beginAgain(deps, opened)
          return url === undefined
            ? { status: 200, html: page(title, invitation(opened, form['token'] ?? '')) }
            : {
                status: 200,
                html: page(
                  title,
                  html`<p><a href="${url}" rel="noreferrer">Continue to ${opened.connection.name}</a></p>`,
                ),
              }
        } catch (error) {
          if (!(error instanceof AppError)) throw error
          return { status: error.status, html: page(title, html`<p class="bad" role="alert">${error.message}</p>`) }
        }
      },
    },
  ]
}

/** Undefined where no person can give access: new credentials are needed then. */
async function beginAgain(deps: ReconnectDeps, opened: OpenedConnection): Promise<string | undefined> {
  const { scope, connection, application, authentication, values } = opened
  if (authentication.type !== 'oauth2AuthorizationCode' || opened.isWithdrawn) return undefined
  const db = deps.database.forScope(scope)
  const stored = await findConnection(db, scope.accountId, connection.id)
  if (!stored) return undefined
  const authorization = await prepareAuthorization(authentication, values, {
    credentials: await usableCredentials(deps.keyRing, stored, application),
    credentialEpoch: application.credentialEpoch ?? 0,
    redirectUri: redirectUri(deps.baseUrl()),
  })
  await insertState(db, deps.keyRing, { scope, id: stored.id }, authorization)
  return authorization.url
}

function invitation(
  { connection, authentication, isWithdrawn }: OpenedConnection,
  token: string,
): ReturnType<typeof html> {
  const state = connection.isFaulted
    ? html`<p>${label(connection)} does not work at the moment: ${connection.faultMessage ?? ''}</p>`
    : html`<p>${label(connection)} works at the moment.</p>`
  return authentication.type === 'oauth2AuthorizationCode' && !isWithdrawn
    ? html`${state}<form method="post" action="/reconnect"><input type="hidden" name="token" value="${token}"><button>Reconnect</button></form>`
    : html`${state}<p>Sign in and enter its credentials again, or send them with POST /api/RegApplication/${connection.id}.</p><p><a href="/signin">Sign in</a></p>`
}

function label({ name, tagText }: { name: string; tagText: string }): string {
  return tagText === '' ? name : `${name} (${tagText})`
}
