const { limit } = getVariables()
return await api.get('24SevenOffice/customers?' + fx.queryString({ limit: limit || 1000 }))
