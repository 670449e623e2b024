import { describe, expect, it } from 'vitest'
import { createAccount, createOrganization } from '../harness/accounts.ts'
import { applications, useRegisteredApplications } from '../harness/registered-applications.ts'

const { at, create, search } = useRegisteredApplications()

describe('registered applications', () => {
  it('registers, lists, changes and deletes', async () => {
    const created = await create(applications.http, { baseUrl: at.target.origin }, { tagText: 'warehouse' })
    expect(created.status, created.text).toBe(200)
    expect(created.body).toMatch(/^[0-9a-f-]{36}$/)
    const id = created.body
    const item = {
      id,
      applicationId: applications.http,
      shortName: 'HTTP',
      name: 'HTTP',
      tagText: 'warehouse',
      isOAuth: false,
      isAuthenticated: true,
      isFaulted: false,
      faultMessage: null,
      tags: [],
      workflowsCount: 0,
      createDateTimeUTC: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
      modifyDateTimeUTC: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
    }
    expect((await at.user.get('/api/RegApplications')).body).toEqual([item])
    expect(await search()).toEqual({ regApplications: [item], total: 1 })

    const changed = await at.user.post(`/api/RegApplication/${id.toUpperCase()}`, { tagText: 'north' })
    expect([changed.status, changed.body]).toEqual([200, ''])
    expect((await at.user.get('/api/RegApplications')).body).toMatchObject([{ id, tagText: 'north' }])

    expect((await at.user.get(`/api/DeleteRegApplication/${id}`)).body).toBe(true)
    expect((await at.user.get('/api/RegApplications')).body).toEqual([])
    expect((await at.user.get(`/api/DeleteRegApplication/${id}`)).status).toBe(404)
  })

  it('an application without credential fields needs no credentials', async () => {
    expect((await create(applications.test)).status).toBe(200)
    expect((await create(applications.test, {})).status).toBe(200)
  })

  it('an application that is not in the catalogue is 404, a malformed id 400', async () => {
    expect((await create('00000000-0000-4000-8000-000000000000')).status).toBe(404)
    expect((await create('HTTP')).status).toBe(400)
    expect((await at.user.post('/api/RegApplication', {})).body.errorMessage).toContain('applicationId')
  })

  it.each([
    ['missing', {}, 'baseUrl'],
    ['null where it is required', { baseUrl: null }, 'baseUrl'],
    ['empty where it is required', { baseUrl: '' }, 'baseUrl'],
    ['undeclared', { baseUrl: 'https://example.com', apikey: 'x' }, 'apikey'],
    ['of the wrong type', { baseUrl: 7 }, 'baseUrl'],
    ['a list', { baseUrl: ['https://example.com'] }, 'baseUrl'],
    ['not an address', { baseUrl: 'example' }, 'baseUrl'],
    ['an address of another kind', { baseUrl: 'file:///etc/passwd' }, 'baseUrl'],
    ['an address with a password in it', { baseUrl: 'https://a:b@example.com' }, 'baseUrl'],
    ['not one of the options', { baseUrl: 'https://example.com', authType: 'digest' }, 'authType'],
    ['needed by the chosen authentication', { baseUrl: 'https://example.com', authType: 'bearer' }, 'token'],
    [
      'no header name',
      { baseUrl: 'https://example.com', authType: 'header', headerName: 'a b', headerValue: 'x' },
      'headerName',
    ],
    ['declared by the language only', JSON.parse('{"baseUrl":"https://example.com","__proto__":"x"}'), '__proto__'],
  ])('a credential field that is %s is named', async (_what, credentials, field) => {
    const answer = await create(applications.http, credentials)
    expect(answer.status).toBe(400)
    expect(answer.body.errorMessage).toContain(field)
    expect((await search()).total).toBe(0)
  })

  it('number and boolean fields are not coerced', async () => {
    const server = { host: 'mail.example.com', from: 'a@example.com' }
    expect((await create(applications.smtp, { ...server, port: '587' })).body.errorMessage).toContain('port')
    expect((await create(applications.smtp, { ...server, secure: 'true' })).body.errorMessage).toContain('secure')
  })

  it.each(['', 'text', '[]', 'null', '1', '{"baseUrl":', '"{}"'])('credentialsJson %j is refused', async (text) => {
    const answer = await at.user.post('/api/RegApplication', {
      applicationId: applications.http,
      credentialsJson: text,
    })
    expect(answer.status).toBe(400)
    expect(answer.body.errorMessage).toContain('credentialsJson')
  })

  it('credentialsJson that is an object and not a string is refused', async () => {
    const body = { applicationId: applications.http, credentialsJson: { baseUrl: at.target.origin } }
    expect((await at.user.post('/api/RegApplication', body)).body.errorMessage).toContain('credentialsJson')
  })

  it('options are matched without regard to case', async () => {
    const credentials = { baseUrl: at.target.origin, authType: 'Basic', username: 'u', password: 'p' }
    expect((await create(applications.http, credentials)).status).toBe(200)
    await at.user.get('/api/ApiGet?url=http/x')
    expect(at.target.received[0]?.headers.authorization).toBe(`Basic ${Buffer.from('u:p').toString('base64')}`)
  })

  it('every filter of the search narrows it, and pages do not overlap', async () => {
    const ids: string[] = []
    for (const tagText of ['Alpha 100%', 'beta_x', 'gamma', 'Ærø \\ Delta']) {
      ids.push((await create(applications.http, { baseUrl: at.target.origin }, { tagText })).body)
    }
    ids.push((await create(applications.test, undefined, { tagText: 'alpha test' })).body)
    await at.user.post(`/api/AttributeTagAdd/registeredApp/${ids[0]}`, { value: 'pilot' })
    await at.user.post(`/api/AttributeTagAdd/1/${ids[1]}`, { value: 'pilot' })
    await at.user.post(`/api/AttributeTagAdd/registeredapp/${ids[1]}`, { value: 'eu' })
    const found = async (body: object) => (await search(body)).regApplications.map((item: { id: string }) => item.id)

    expect(await found({ searchTerm: 'ALPHA' })).toEqual([ids[0], ids[4]])
    expect(await found({ searchTerm: '0%' })).toEqual([ids[0]])
    expect(await found({ searchTerm: 'a_x' })).toEqual([ids[1]])
    expect(await found({ searchTerm: 'ÆRØ \\' })).toEqual([ids[3]])
    expect(await found({ searchTerm: 'test service' })).toEqual([ids[4]])
    expect(await found({ tags: ['pilot'] })).toEqual([ids[0], ids[1]])
    expect(await found({ tags: ['pilot', 'eu'] })).toEqual([ids[1]])
    expect(await found({ tags: ['Pilot'] })).toEqual([])
    expect(await found({ appIds: [applications.test.toUpperCase()] })).toEqual([ids[4]])
    expect(await found({ appIds: [applications.test, applications.http] })).toEqual(ids)
    expect(await found({ isFaulted: true })).toEqual([])
    expect(await found({ isFaulted: false, searchTerm: 'gamma' })).toEqual([ids[2]])
    expect(await search({ page: 1, size: 2 })).toMatchObject({
      total: 5,
      regApplications: [{ id: ids[2] }, { id: ids[3] }],
    })
    expect((await search({ tags: ['eu'] })).regApplications[0].tags).toEqual(['eu', 'pilot'])
  })

  it.each([
    [{ page: '0' }, 'page'],
    [{ page: -1 }, 'page'],
    [{ size: 0 }, 'size'],
    [{ size: 1001 }, 'size'],
    [{ isFaulted: 'true' }, 'isFaulted'],
    [{ appIds: ['x'] }, 'appIds'],
    [{ regAppIds: [] }, 'regAppIds'],
  ])('search refuses %j', async (body, field) => {
    const answer = await at.user.post('/api/RegApplications', body)
    expect(answer.status).toBe(400)
    expect(answer.body.errorMessage).toContain(field)
  })

  it('deleting is refused with the ids of the workflows that use it, until they are archived', async () => {
    const id = (await create(applications.test)).body
    const workflow = await at.user.post('/api/Workflow', {
      name: 'uses it',
      applications: { TEST: id },
      chain: [{ blockName: 'a', script: "return await api.get('test/meta')" }],
    })
    expect(workflow.status, workflow.text).toBe(200)
    expect((await search()).regApplications).toMatchObject([{ id, workflowsCount: 1 }])
    const refused = await at.user.get(`/api/DeleteRegApplication/${id}`)
    expect(refused.status).toBe(400)
    expect(refused.body.errorMessage).toContain(workflow.body)
    await at.user.get(`/api/ArchiveWorkflow/${workflow.body}`)
    expect((await search()).regApplications).toMatchObject([{ id, workflowsCount: 0 }])
    expect((await at.user.get(`/api/DeleteRegApplication/${id}`)).body).toBe(true)
  })

  it('what is not the account’s does not exist, byte for byte', async () => {
    const id = (await create(applications.http, { baseUrl: at.target.origin })).body
    const other = await createAccount(at.service, at.service.manager, 'User')
    const foreign = await createOrganization(at.service)
    const unknown = '00000000-0000-4000-8000-000000000000'
    for (const client of [other.client, foreign.manager, at.service.manager]) {
      expect((await client.get('/api/RegApplications')).body).toEqual([])
      for (const ask of [
        (at: string) => client.get(`/api/DeleteRegApplication/${at}`),
        (at: string) => client.post(`/api/RegApplication/${at}`, { tagText: 'mine' }),
        (at: string) => client.with({ AppKey: at }).get('/api/ApiGet?url=http/x'),
        (at: string) => client.with({ AppKey: at }).get('/api/ApiAppVault'),
        (at: string) => client.with({ AppKey: at }).get('/api/ApiAuth?shortName=http'),
      ]) {
        const [one, none] = [await ask(id), await ask(unknown)]
        expect([one.status, one.text]).toEqual([404, none.text])
      }
      expect((await client.post(`/api/AttributeTagAdd/registeredApp/${id}`, { value: 'x' })).status).toBe(404)
    }
    expect((await at.user.get('/api/DeleteRegApplication/not-a-guid')).status).toBe(404)
    expect(at.target.received).toEqual([])
    // A Manager reaches it by acting for the account.
    expect((await at.service.manager.as(at.userId).get('/api/RegApplications')).body).toMatchObject([{ id }])
  })

  it('HEAD does not delete', async () => {
    const id = (await create(applications.test)).body
    expect((await at.user.send('HEAD', `/api/DeleteRegApplication/${id}`)).status).toBe(405)
    expect((await search()).total).toBe(1)
  })

  it('every change is one row in the audit log, without secrets', async () => {
    const id = (await create(applications.http, { baseUrl: at.target.origin }, { tagText: 'a' })).body
    await at.user.post(`/api/RegApplication/${id}`, { tagText: 'b' })
    await at.user.get(`/api/DeleteRegApplication/${id}`)
    const rows = await at.service.asOwner('select action from audit_log where target = $1 order by id', [id])
    expect(rows.map((row) => row['action'])).toEqual([
      'registeredApplication.created',
      'registeredApplication.changed',
      'registeredApplication.deleted',
    ])
  })

  it('a character that cannot be stored is 400', async () => {
    expect((await create(applications.test, undefined, { tagText: 'a\u0000b' })).status).toBe(400)
    expect((await at.user.post('/api/RegApplications', { searchTerm: 'a\u0000b' })).status).toBe(400)
  })
})
