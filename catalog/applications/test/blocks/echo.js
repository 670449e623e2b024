return await api.post('TEST/echo', Datasource[0] ?? {})
