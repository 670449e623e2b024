return await api.get('TEST/employees')
