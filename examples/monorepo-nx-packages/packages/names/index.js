exports.name = () => 'named by an nx package'
