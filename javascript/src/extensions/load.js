module.exports={loadExtension(){throw new Error('not yet')}}
