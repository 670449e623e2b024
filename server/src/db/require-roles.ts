import type pg from 'pg'

export class MissingRoleError extends Error {
  override name = 'MissingRoleError'
}

const roles = ['patchbay_app', 'patchbay_system']

/** The service works as two roles of its own. Whoever may not make them must have been given both. */
export async function requireRoles(owner: pg.Client): Promise<void> {
  const { rows } = await owner.query<{ user: string; can_create: boolean; granted: string[] }>(
    `select current_user::text as user, rolsuper or rolcreaterole as can_create,
       array(select rolname::text from pg_roles where rolname = any($1) and pg_has_role(current_user, oid, 'MEMBER')) as granted
     from pg_roles where rolname = current_user`,
    [roles],
  )
  const { user = '', can_create = true, granted = [] } = rows[0] ?? {}
  if (can_create || roles.every((role) => granted.includes(role))) return
  throw new MissingRoleError(
    `The database user ${user} may not create roles. Give it CREATEROLE, or let a superuser run: ${roles
      .map((role) => `create role ${role} login nosuperuser nobypassrls noinherit`)
      .join('; ')}; grant ${roles.join(', ')} to "${user}";`,
  )
}
