package import ArgumentParser
package import SpecimensDomain

extension Specimen.HomeTerrain: ExpressibleByArgument {}
extension Specimen.MainDiet: ExpressibleByArgument {}
