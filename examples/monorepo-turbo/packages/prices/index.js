exports.price = () => 'priced in a turborepo'
